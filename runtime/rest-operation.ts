import type { AppRoute, ContractNoBodyType, ContractPlainType } from '@ts-rest/core';

/** Media type of each form of an answer. */
export const MEDIA_TYPES = { json: 'application/json', jsonl: 'application/jsonl', csv: 'text/csv' } as const;

export type AnswerForm = keyof typeof MEDIA_TYPES;

/** Another name of the media type of a form, which clients may ask for: the answer then has it. */
export const OTHER_MEDIA_TYPES: Readonly<Partial<Record<AnswerForm, string>>> = {
  jsonl: 'application/x-ndjson',
};

/** The properties of an operation, apart from its types: the metadata of its route in the contract. */
export type RestOperation = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With names in braces. */
  readonly path: string;
  /** Credentials that it accepts; empty: anyone may call. */
  readonly auth: readonly ('token' | 'session')[];
  /** Scopes that a token needs, all of them. */
  readonly scopes: readonly string[];
  /** Roles, one of which a session needs. */
  readonly roles: readonly string[];
  /** True if a session needs a recently confirmed second factor. */
  readonly isFresh: boolean;
  /** Its name in the audit log. */
  readonly audit: string;
  /** Rows of the price list that it is charged by. */
  readonly prices: readonly string[];
  /** The limit that its requests count against: a row of the plans. */
  readonly rate?: string;
  /** True if it takes Idempotency-Key. */
  readonly idempotent: boolean;
  readonly headers: readonly string[];
  /** Status of success. */
  readonly status: number;
  /** The forms of its answer; the first is the default. */
  readonly forms: readonly AnswerForm[];
  /** True if an answer can carry a secret. */
  readonly secret: boolean;
};

/** A request that has passed: its caller, its limit and its body are good. */
export type RestRequest<Route> = {
  /** The id in the path; empty where the path has none. */
  readonly id: string;
  /** The form that format or Accept select; without either the first of the operation. */
  readonly form: AnswerForm;
  readonly body: Route extends { readonly body: infer Body } ? TypeOf<Body> : undefined;
  readonly query: Route extends { readonly query: infer Query } ? TypeOf<Query> : undefined;
  /** Of X-Two-Factor-Code; undefined if it was not sent. */
  readonly twoFactorCode: string | undefined;
};

/** The answer of an operation when it succeeds. */
export type RestAnswer<Route extends Pick<AppRoute, 'responses'>> = AnswerOf<
  TypeOf<Route['responses'][keyof Route['responses']]>
>;

/** Answered as one JSON value. */
export type JsonAnswer<T> = { readonly kind: 'json'; readonly body: T };

/** Answered as one JSON value that is printed already. The bytes may hold secrets: the sender overwrites them after. */
export type PrintedAnswer = { readonly kind: 'printed'; readonly bytes: Uint8Array };

/** Answered as it is made. An error in `chunks` breaks off the connection. */
export type StreamAnswer = {
  readonly kind: 'stream';
  readonly form: Exclude<AnswerForm, 'json'>;
  /** Number of wallets that follow, sent first as X-Wallet-Count. */
  readonly count: number;
  /**
   * Bytes ready to be sent, with the wallets in them. Begun always; asking for the next chunk says that the one before has
   * left, and it is overwritten then.
   */
  readonly chunks: AsyncGenerator<{ readonly bytes: Uint8Array; readonly count: number }, void, undefined>;
};

/** The body of a stream in a contract: JSONL or CSV. */
export type StreamBody = AsyncIterable<Uint8Array>;

/** A type after its check: members with a default are there. */
export type WithDefaults<Sent, Filled> = Omit<Sent, keyof Filled> & Readonly<Filled>;

/** The type that a part of a route carries; undefined for a part without a type. */
type TypeOf<Part> = Part extends ContractNoBodyType
  ? undefined
  : Part extends ContractPlainType<infer T>
    ? T
    : undefined;

type AnswerOf<Body> =
  | (StreamBody extends Body ? StreamAnswer : never)
  | ([Exclude<Body, StreamBody>] extends [never]
      ? never
      : JsonAnswer<Exclude<Body, StreamBody>> | PrintedAnswer);
