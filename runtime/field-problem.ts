/** What is wrong at one place of a request. */
export type FieldProblem = {
  /** JSON pointer (RFC 6901) into the body; empty for the whole. */
  readonly pointer: string;
  readonly detail: string;
  /** The bound that was passed. */
  readonly limit?: number;
  /** What was found; never of a member that is secret. */
  readonly value?: string | number | boolean | null;
};
