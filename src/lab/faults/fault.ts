/** A fault that has begun. */
export type StartedFault = {
  /** What is so, as the end of a sentence that begins with the target: `is 4 slots behind`. */
  readonly what: string;
  /** Mends it, and resolves when the target works again. */
  readonly end: () => Promise<void>;
};
