import { UNPRINTABLE } from '../../runtime/printable.ts';

/** The process that a command runs in, as far as a command sees it. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly writeOut: (text: string) => void;
  /** Takes notes and error messages; results go to `writeOut`. */
  readonly writeError: (text: string) => void;
  /** True if notes go to a terminal, which a line can be written anew in. Default false. */
  readonly isInteractive?: boolean;
};

/** Line feeds are layout, and carriage returns and escapes those of a line that is written anew: no stored text has ever had any. */
const UNSEEN = new RegExp(`(?![\\n\\r\\t\\u001B])${UNPRINTABLE.source}`, 'gu');

/** Returns a terminal to which characters that are not printable are written as `\uXXXX`, in JSON too, which they leave the same. */
export function withEscapes(terminal: Terminal): Terminal {
  const escaped = (text: string): string =>
    text.replace(UNSEEN, (character) =>
      Array.from(
        { length: character.length },
        (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
      ).join(''),
    );
  return {
    ...terminal,
    writeOut: (text) => terminal.writeOut(escaped(text)),
    writeError: (text) => terminal.writeError(escaped(text)),
  };
}
