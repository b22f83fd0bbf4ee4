import { CopyButton } from './copy-button.tsx';

/** Code to copy. */
export function Snippet({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={label} />
    </div>
  );
}
