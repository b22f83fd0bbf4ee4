/** The target of the lines of a file, which are kept nowhere else. */
export type FileTarget = {
  /** True: each line goes to the disk at once. False: the browser holds the file until it is saved. */
  readonly isOnDisk: boolean;
  readonly write: (text: string) => Promise<void>;
  /** Completes the file, so that it can be opened. */
  readonly close: () => Promise<void>;
};
