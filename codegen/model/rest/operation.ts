import type { Json, JsonObject } from '../../json.ts';
import type { ProblemModel } from '../errors.ts';
import type { RestSchema } from './schema.ts';

/** What makes a request that answers an error: what replaces the parts of a good one. */
export type Provocation = {
  readonly name?: string;
  /** A state of the server that a run can only be given from inside. */
  readonly condition?: string;
  /** `none`: without a token. */
  readonly token?: string;
  /** The session token; `none`: without a session. */
  readonly session?: string;
  readonly id?: string;
  /** `none` leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of the body. */
  readonly body?: Json;
  /** In the place of the query parameters. */
  readonly query?: Readonly<Record<string, string>>;
  /** Members put into the good body. */
  readonly with?: JsonObject;
  /** In the place of the body, as text or as bytes in hex. */
  readonly text?: string;
  readonly bytes?: string;
  /** A request that is sent ahead, with the same headers. */
  readonly before?: { readonly body?: Json };
  /** The place that the problem must name. */
  readonly pointer?: string;
};

export type RequestExample = {
  readonly name: string;
  readonly summary: string;
  readonly value: JsonObject;
  /** What a run replaces in it. */
  readonly live?: Provocation;
};

/** One form of an answer. A stream is text whose lines are of the item schema. */
export type Content = {
  readonly media: string;
  readonly schema?: RestSchema;
  readonly itemSchema?: RestSchema;
  readonly examples: Readonly<Record<string, Json>>;
};

/** An error that an operation answers, with the context of its example. */
export type OperationError = { readonly error: ProblemModel; readonly context: JsonObject };

/** What a request may be authenticated by. */
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
  /** What a request may be authenticated by; nothing: anyone may call it. */
  readonly auth: readonly AuthKind[];
  /** The scopes of a token; none unless a token may call. */
  readonly scopes: readonly string[];
  /** The roles of a session; none unless a session may call. */
  readonly roles: readonly string[];
  /** True if a session needs a second factor that was confirmed in the last minutes. */
  readonly isFresh: boolean;
  /** What the audit log calls it. */
  readonly audit: string;
  /** Rows of the price list. */
  readonly prices: readonly string[];
  /** A rate class: a row of plans.yaml. */
  readonly rate?: string;
  readonly idempotent: boolean;
  /** Headers that it takes beside those of its kind. */
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
  /** What a good request of a run has. */
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

/** An answer: its content where it succeeds, else the names of its errors. */
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

/** What a request of an operation may be authenticated by: a token unless the file says otherwise. */
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

/** A status that is no error. */
export const isSuccess = (status: string): boolean => status.startsWith('2');
