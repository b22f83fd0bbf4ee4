import { CopyButton } from './copy-button.tsx';

/** A secret that the server shows once. */
export function Secret({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="stack">
      <p className="notice notice-warn">
        Copy it now: it is not shown again, and the server keeps only a digest.
      </p>
      <div className="secret">
        <code>{text}</code>
        <CopyButton text={text} label={label} />
      </div>
    </div>
  );
}
