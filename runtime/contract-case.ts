import type { ResultSchema } from './result-schema.ts';

/** The expected answer of a contract case. */
export type Expectation =
  /** A result that fits the result schema, and contains this (see missing-in.ts). For a notification: each does. */
  | { readonly kind: 'result'; readonly has?: unknown }
  /** This error. `message` is exact; without it only the code counts. `data` members must be there and equal. */
  | {
      readonly kind: 'error';
      readonly error: string;
      readonly code: number;
      readonly message?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  /** Anything but this error: a value at a limit may fail for another reason. Without `message` any error with the code counts. */
  | {
      readonly kind: 'not-refused';
      readonly error: string;
      readonly code: number;
      readonly message?: string;
    };

/**
 * One call of the contract. In `params`, and in the members of a result, strings that begin with $ are names of the run's scenario values.
 */
export type Case = {
  readonly method: string;
  readonly name: string;
  readonly kind:
    | 'example'
    | 'limit'
    | 'wrong-type'
    | 'range'
    | 'conflict'
    | 'commitment'
    | 'arity'
    | 'name-case'
    /** For a subscription: it is created and ended. */
    | 'life'
    /** For a subscription: it sends notifications that fit its schema. */
    | 'notification';
  readonly params: unknown;
  readonly expect: Expectation;
  /** `major.minor` of the first node version with this answer, if not all have it. */
  readonly since?: string;
  /** For a notification: the event that triggers it. */
  readonly by?: 'time' | 'tower' | 'transfer';
  /** From the example's x-live. */
  readonly setup?: unknown;
};

/** The contract of a method. */
export type MethodContract = {
  readonly cases: readonly Case[];
  /** Branches that answers must contain at least once in a whole run; see branches.ts. */
  readonly branches: readonly string[];
  /** The result schema; its references lead into RESULT_DEFINITIONS. */
  readonly resultSchema: ResultSchema;
};
