/** A file that is written in parts. */
export type FileSink = {
  readonly write: (text: string) => Promise<void>;
  /** Completes the file, which does not exist until then. */
  readonly close: () => Promise<void>;
  /** Leaves no file. */
  readonly abort: () => Promise<void>;
};
