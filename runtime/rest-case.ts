/** A request of a case. Strings that begin with $ are values of the run; `{ $repeat, times }` is a long text. */
export type RestCaseRequest = {
  readonly method: string;
  readonly path: string;
  /** `none`: without a token. */
  readonly token: string;
  /** The token of a session, sent as its cookie; absent or `none`: without one. */
  readonly session?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** In place of a body: this text, or these bytes in hex. */
  readonly text?: string;
  readonly bytes?: string;
};

/** The expected answer of a case. */
export type RestExpectation =
  /** Success, in this form. */
  | {
      readonly kind: 'success';
      readonly status: number;
      readonly media: string;
      readonly headers: readonly string[];
    }
  /** This problem. With `pointer` its errors must name the place. */
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly pointer?: string;
      readonly headers: readonly string[];
    }
  /** Anything but a body_invalid or query_invalid that names the place: a value at its limit may fail for another reason. */
  | { readonly kind: 'not-refused'; readonly pointer: string }
  /** Anything but this problem. */
  | { readonly kind: 'not-code'; readonly code: string };

/** One case of the contract of the wallet service. */
export type RestCase = {
  readonly operation: string;
  readonly name: string;
  readonly kind: 'example' | 'error' | 'limit' | 'type' | 'conflict' | 'role';
  /** The example of the documents that shows the answer. */
  readonly example?: string;
  /** A state of the server that the case requires. */
  readonly condition?: string;
  /** Sent beforehand, with the same headers. */
  readonly before?: RestCaseRequest;
  readonly request: RestCaseRequest;
  readonly expect: RestExpectation;
};

/** The contract of one operation. */
export type RestContract = {
  readonly cases: readonly RestCase[];
  /** Every status, with the codes of its errors; a success has none. */
  readonly statuses: Readonly<Record<string, readonly string[]>>;
};
