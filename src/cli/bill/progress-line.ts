import type { Terminal } from '../../base/terminal.ts';

const CLEAR = '\r\u001B[K';

/** A line of a terminal that is written anew as work goes on; nothing where notes do not go to a terminal. */
export function progressLine({ writeError, isInteractive = false }: Terminal) {
  let isShown = false;
  return {
    /** @param at instant of the last record. */
    show: (records: number, at: string | undefined): void => {
      if (!isInteractive || at === undefined) return;
      isShown = true;
      writeError(
        `${CLEAR}${records.toLocaleString('en')} records, up to ${at.slice(0, 16).replace('T', ' ')} UTC`,
      );
    },
    end: (): void => {
      if (isShown) writeError(CLEAR);
      isShown = false;
    },
  };
}
