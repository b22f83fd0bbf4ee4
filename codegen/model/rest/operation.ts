import type { Json, JsonObject } from '../../json.ts';
import type { ProblemModel } from '../errors.ts';
import type { RestSchema } from './schema.ts';

/** A request that provokes an error: replacements for the parts of a valid one. */
export type Provocation = {
  readonly name?: string;
  /** A state of the server that a run can only set from inside. */
  readonly condition?: string;
  /** `none`: without a token. */
  readonly token?: string;
  /** The session token; `none`: without a session. */
  readonly session?: string;
  readonly id?: string;
  /** `none` leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the body. */
  readonly body?: Json;
  /** Replaces the query parameters. */
  readonly query?: Readonly<Record<string, string>>;
  /** Members that are added to the valid body. */
  readonly with?: JsonObject;
  /** Replaces the body, as text or as bytes in hex. */
  readonly text?: string;
  readonly bytes?: string;
  /** A request that is sent beforehand, with the same headers. */
  readonly before?: { readonly body?: Json };
  /** The place that the problem must name. */
  readonly pointer?: string;
};

export type RequestExample = {
  readonly name: string;
  readonly summary: string;
  readonly value: JsonObject;
  /** The replacements of a run. */
  readonly live?: Provocation;
};

/** One form of an answer. A stream is text whose lines fit the item schema. */
export type Content = {
  readonly media: string;
  readonly schema?: RestSchema;
  readonly itemSchema?: RestSchema;
  readonly examples: Readonly<Record<string, Json>>;
};

/** An error that an operation answers, with the context of its example. */
export type OperationError = { readonly error: ProblemModel; readonly context: JsonObject };

/** The ways to authenticate a request. */
export type AuthKind = 'token' | 'session';

export type Operation = {
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** The schema of the id in the path; undefined if the path has none. */
  readonly idSchema?: RestSchema;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly origin: 'given' | 'chosen';
  /** The allowed ways to authenticate; empty: anyone may call it. */
  readonly auth: readonly AuthKind[];
  /** The scopes of a token; empty unless a token may call. */
  readonly scopes: readonly string[];
  /** The roles of a session; empty unless a session may call. */
  readonly roles: readonly string[];
  /** True if a session needs a recently confirmed second factor. */
  readonly isFresh: boolean;
  /** Its name in the audit log. */
  readonly audit: string;
  /** Rows of the price list. */
  readonly prices: readonly string[];
  /** A rate class: a row of plans.yaml. */
  readonly rate?: string;
  readonly idempotent: boolean;
  /** Headers in addition to those of its kind. */
  readonly headers: readonly string[];
  /** An object whose members are the query parameters: texts and integers. */
  readonly query?: RestSchema;
  readonly body?: { readonly schema: RestSchema; readonly examples: readonly RequestExample[] };
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly headers: readonly string[];
    readonly content: readonly Content[];
  };
  /** By status, then as in the documents. */
  readonly errors: readonly OperationError[];
  /** The parts of a valid request of a run. */
  readonly live: Provocation;
  readonly provoke: Readonly<Record<string, readonly Provocation[]>>;
};

/** A file of wallets/operations/, after the shape check. */
export type OperationFile = {
  readonly operationId: string;
  readonly method: Operation['method'];
  readonly path: string;
  readonly id?: RestSchema;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly 'x-origin': Operation['origin'];
  readonly 'x-auth'?: readonly AuthKind[];
  readonly 'x-scopes': readonly string[];
  readonly 'x-roles'?: readonly string[];
  readonly 'x-fresh'?: true;
  readonly 'x-audit': string;
  readonly 'x-price'?: readonly string[];
  readonly 'x-rate'?: string;
  readonly 'x-idempotent'?: true;
  readonly 'x-live'?: Provocation;
  readonly 'x-examples'?: Readonly<Record<string, JsonObject>>;
  readonly 'x-provoke'?: Readonly<Record<string, readonly Provocation[]>>;
  readonly parameters?: readonly string[];
  readonly query?: RestSchema;
  readonly requestBody?: {
    readonly schema: RestSchema;
    readonly examples: Readonly<Record<string, Omit<RequestExample, 'name'>>>;
  };
  readonly responses: Readonly<Record<string, ResponseFile>>;
};

/** An answer: its content if it succeeds, else the names of its errors. */
export type ResponseFile = {
  readonly description?: string;
  readonly headers?: readonly string[];
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: RestSchema;
        readonly 'x-item-schema'?: RestSchema;
        readonly examples: Readonly<Record<string, Json>>;
      }
    >
  >;
  readonly errors?: readonly string[];
};

/** The allowed ways to authenticate an operation's requests: a token unless the file says otherwise. */
export const authOf = ({ 'x-auth': auth = ['token'] }: OperationFile): readonly AuthKind[] => auth;

/** The kinds of an operation, each with errors and headers in the head of its service. */
export const kindsOf = (file: OperationFile): readonly string[] => [
  'every',
  ...(authOf(file).length === 0 ? ['public'] : authOf(file)),
  ...(authOf(file).join() === 'session' ? ['sessionOnly'] : []),
  ...(file['x-fresh'] ? ['fresh'] : []),
  ...(file.query ? ['query'] : []),
  ...(file.requestBody ? ['body'] : []),
  ...(file['x-idempotent'] ? ['idempotent'] : []),
  ...(file['x-rate'] === undefined ? [] : ['rate']),
  ...(file['x-price'] ? ['price'] : []),
];

/** True for the status of a success. */
export const isSuccess = (status: string): boolean => status.startsWith('2');
