import type { ResultSchema } from './result-schema.ts';

/** What a contract case expects of the answer. */
export type Expectation =
  /** A result that fits the result schema, and has this (see missing-in.ts). Of a notification: each has. */
  | { readonly kind: 'result'; readonly has?: unknown }
  /** This error. `message` is exact; without it only the code counts. `data` members must be there and equal. */
  | {
      readonly kind: 'error';
      readonly error: string;
      readonly code: number;
      readonly message?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  /** Anything but this error: a value at a limit may fail for another reason. Without `message` any error of the code counts. */
  | {
      readonly kind: 'not-refused';
      readonly error: string;
      readonly code: number;
      readonly message?: string;
    };

/** One call of the contract. In `params`, and in what a result has, strings that begin with $ are names of the run's scenario values. */
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
    /** Of a subscription: that it is made and ended. */
    | 'life'
    /** Of a subscription: that it notifies, of what its schema says. */
    | 'notification';
  readonly params: unknown;
  readonly expect: Expectation;
  /** `major.minor` of the first version of nodes that answers so, where not all do. */
  readonly since?: string;
  /** Of a notification: whether a transfer has to be made for it to come. */
  readonly by?: 'time' | 'transfer';
  /** As the example's x-live has it. */
  readonly setup?: unknown;
};

/** What the contract of one method holds. */
export type MethodContract = {
  readonly cases: readonly Case[];
  /** What answers must show at least once over a whole run; see branches.ts. */
  readonly branches: readonly string[];
  /** The result schema; its references lead into RESULT_DEFINITIONS. */
  readonly resultSchema: ResultSchema;
};
