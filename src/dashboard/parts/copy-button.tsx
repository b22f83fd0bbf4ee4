import { useEffect, useState } from 'react';
import { useAnnounce } from './announcements.tsx';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2_000;

/** Copies a text. If the browser does not allow that, says so; the text can be selected. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const announce = useAnnounce();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      announce('The browser does not allow copying here; select the text instead.');
    }
  };
  return (
    <button type="button" className="icon-button" title={label} onClick={() => void copy()}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className="only-read">{label}</span>
    </button>
  );
}
