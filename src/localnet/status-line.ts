import type { Ledger } from './ledger.ts';

/** The parts of a terminal that are used. */
export type StatusTerminal = {
  readonly write: (text: string) => void;
  /** Its width in characters. */
  readonly columns: () => number;
};

/** A point in time of the ledger: transactions without the validator's own votes, time in milliseconds. */
type Mark = { readonly timeMs: number; readonly transactions: number };

const CLEAR = '\r\u001B[K';
const REDRAW_MS = 1_000;
const MEBIBYTE = 1024 * 1024;

/**
 * A status line at the bottom of a terminal: newest slot, block height, transactions per second since the last update, memory. Text printed
 * through it appears above.
 */
export class StatusLine {
  readonly #ledger: Ledger;
  readonly #terminal: StatusTerminal;
  readonly #nowMs: () => number;
  #mark: Mark;
  #line = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(ledger: Ledger, terminal: StatusTerminal, nowMs: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#terminal = terminal;
    this.#nowMs = nowMs;
    this.#mark = this.#now();
  }

  /** Shows the line, and updates it every second. */
  start(): void {
    this.draw();
    this.#timer = setInterval(() => this.draw(), REDRAW_MS).unref();
  }

  /** Updates the line. */
  draw(): void {
    const mark = this.#now();
    const seconds = (mark.timeMs - this.#mark.timeMs) / 1_000;
    // The count is lower after a restore of an earlier state.
    const landed = Math.max(0, mark.transactions - this.#mark.transactions);
    const rate = seconds > 0 ? landed / seconds : 0;
    this.#mark = mark;
    const slot = this.#ledger.slotAt('processed');
    const height = this.#ledger.blocks.height(this.#ledger.slotAt('confirmed'));
    const memory = Math.round(process.memoryUsage.rss() / MEBIBYTE);
    const line = `slot ${slot}  height ${height}  ${rate.toFixed(1)} transactions/s  ${memory} MB`;
    this.#line = line.slice(0, Math.max(0, this.#terminal.columns() - 1));
    this.#terminal.write(`${CLEAR}${this.#line}`);
  }

  /** Prints lines, each with its line end, above the status. */
  readonly print = (text: string): void => {
    this.#terminal.write(this.#line === '' ? text : `${CLEAR}${text}${this.#line}`);
  };

  /** Removes the line. */
  stop(): void {
    clearInterval(this.#timer);
    if (this.#line !== '') this.#terminal.write(CLEAR);
    this.#line = '';
  }

  #now(): Mark {
    const { blocks } = this.#ledger;
    return {
      timeMs: this.#nowMs(),
      transactions: blocks.transactionCount(blocks.openSlot - 1n) - blocks.voteCount,
    };
  }
}
