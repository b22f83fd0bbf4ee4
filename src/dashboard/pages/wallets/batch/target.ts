/** Where the lines of a file go. Nothing of them is kept elsewhere. */
export type FileTarget = {
  /** True: each line goes to the disk as it comes. False: the browser holds the file until it is saved. */
  readonly isOnDisk: boolean;
  readonly write: (text: string) => Promise<void>;
  /** Ends the file: what was written can be opened. */
  readonly close: () => Promise<void>;
};
