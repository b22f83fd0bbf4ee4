/** A fault at one place of a request. */
export type FieldProblem = {
  /** JSON pointer (RFC 6901) into the body; empty for the whole. */
  readonly pointer: string;
  readonly detail: string;
  /** The limit that was exceeded. */
  readonly limit?: number;
  /** The value that was found; absent for secret members. */
  readonly value?: string | number | boolean | null;
};
