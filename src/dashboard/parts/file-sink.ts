/** A file that is written in parts. */
export type FileSink = {
  readonly write: (text: string) => Promise<void>;
  /** Completes the file; until then nothing is at its place. */
  readonly close: () => Promise<void>;
  /** Leaves no file. */
  readonly abort: () => Promise<void>;
};
