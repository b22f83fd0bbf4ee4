import { CopyButton } from './copy-button.tsx';

type SecretProps = {
  readonly text: string;
  readonly label: string;
  /** The form in which the server keeps it. */
  readonly kept?: string;
};

/** A secret that the server shows once. */
export function Secret({ text, label, kept = 'only a digest' }: SecretProps) {
  return (
    <div className="stack">
      <p className="notice notice-warn">Copy it now: it is not shown again, and the server keeps {kept}.</p>
      <div className="secret">
        <code>{text}</code>
        <CopyButton text={text} label={label} />
      </div>
    </div>
  );
}
