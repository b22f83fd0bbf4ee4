import { UNPRINTABLE } from '../../runtime/printable.ts';

/** The process of a command, as far as the command uses it. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly writeOut: (text: string) => void;
  /** Takes notes and error messages; results go to `writeOut`. */
  readonly writeError: (text: string) => void;
  /** True if notes go to a terminal, in which a line can be overwritten. Default false. */
  readonly isInteractive?: boolean;
};

/** Allows line feeds for layout, and carriage returns and escapes for overwriting a line: stored text never contains any of them. */
const UNSEEN = new RegExp(`(?![\\n\\r\\t\\u001B])${UNPRINTABLE.source}`, 'gu');

/** Returns a terminal that writes unprintable characters as `\uXXXX`, which in JSON has the same meaning. */
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
