import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Sources } from '../load.ts';

/** The type of a placeholder or a member of the data: a number, a text, or the faults of a body, place by place. */
export type ContextType = 'integer' | 'string' | 'fieldProblems';

/** The gRPC statuses that errors can have. */
export const GRPC_STATUSES = [
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'OUT_OF_RANGE',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** One error of errors.yaml, with at least one of the four wire forms. */
export type CatalogueError = {
  readonly name: string;
  readonly area: string;
  readonly summary: string;
  readonly http: number;
  readonly jsonrpc?: { readonly code: number; readonly message: string };
  readonly problem?: ProblemForm;
  /** The message is that of JSON-RPC, or the detail of the problem, unless it has its own. */
  readonly grpc?: { readonly status: (typeof GRPC_STATUSES)[number]; readonly message?: string };
  readonly close?: CloseForm;
  readonly context: Readonly<Record<string, ContextType>>;
  readonly data: readonly string[];
  /** A schema file, if the data is more than members of the context. */
  readonly dataSchema?: { readonly $ref: string };
};

/** An error as a problem of the wallet service (RFC 9457). */
export type ProblemForm = {
  readonly title: string;
  readonly detail: string;
  /** Set if it differs from the status of the error. */
  readonly status?: number;
  /** A context, for the examples of documents. */
  readonly example?: JsonObject;
};

/** An error that closes a WebSocket (RFC 6455, section 7.4): codes from 4000 on are Keyslot's own. */
export type CloseForm = { readonly code: number; readonly reason: string };

/** An error that JSON-RPC can answer. */
export type ErrorModel = CatalogueError & Required<Pick<CatalogueError, 'jsonrpc'>>;

/** An error that the wallet service can answer. */
export type ProblemModel = CatalogueError & Required<Pick<CatalogueError, 'problem'>>;

export const ERRORS_FILE = 'errors.yaml';

/** The errors of the catalogue in the order of the file. */
export const readCatalogue = (sources: Sources): readonly CatalogueError[] => {
  const file = sources.get(ERRORS_FILE);
  return isJsonObject(file) ? Object.entries(file).map(([name, value]) => parseError(name, value)) : [];
};

/** The errors with a JSON-RPC form. */
export const readErrors = (sources: Sources): readonly ErrorModel[] =>
  readCatalogue(sources).filter((error): error is ErrorModel => error.jsonrpc !== undefined);

/** The errors with a problem form. */
export const readProblems = (sources: Sources): readonly ProblemModel[] =>
  readCatalogue(sources).filter((error): error is ProblemModel => error.problem !== undefined);

/** The stable `code` of a problem: `tokenMissing` to `token_missing`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The status of the answer that carries a problem. */
export const statusOf = ({ http, problem }: ProblemModel): number => problem.status ?? http;

/** The body of a problem, with the members of its data. */
export const problemBody = (
  { name, problem, data, ...error }: ProblemModel,
  context: JsonObject,
  requestId: string,
): JsonObject => ({
  type: `urn:keyslot:error:${snakeCase(name)}`,
  title: problem.title,
  status: statusOf({ name, problem, data, ...error }),
  detail: problem.detail.replace(/\{(\w+)\}/g, (_, member: string) => String(context[member])),
  code: snakeCase(name),
  request_id: requestId,
  ...Object.fromEntries(data.map((member) => [snakeCase(member), context[member] ?? null])),
});

/** The value has passed the shape check of the catalogue. */
const parseError = (name: string, value: Json): CatalogueError => {
  const entry = value as unknown as Omit<CatalogueError, 'name' | 'context' | 'data'> &
    Partial<CatalogueError>;
  return { ...entry, name, context: entry.context ?? {}, data: entry.data ?? [] };
};
