import { Link } from 'wouter';
import { CopyButton } from './copy-button.tsx';
import { shorten } from './format-number.ts';
import './key-text.css';

type KeyTextProps = {
  /** An address, a signature or a hash, in base-58. */
  readonly text: string;
  /** Its kind, such as "address". */
  readonly noun: string;
  /** The page about it. */
  readonly href?: string;
  /** Shows the whole text, on several lines if needed. */
  readonly isWhole?: boolean;
  readonly hasCopy?: boolean;
};

/** A long text in base-58, shortened in the middle, with a button that copies all of it. */
export function KeyText({ text, noun, href, isWhole = false, hasCopy = true }: KeyTextProps) {
  const code = <code title={text}>{isWhole ? text : shorten(text)}</code>;
  return (
    <span className={isWhole ? 'key-text key-text-whole' : 'key-text'}>
      {href === undefined ? code : <Link href={href}>{code}</Link>}
      {hasCopy && <CopyButton text={text} label={`Copy the ${noun} ${shorten(text)}`} />}
    </span>
  );
}
