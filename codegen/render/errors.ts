import type { Files } from '../area.ts';
import {
  type CatalogueError,
  type ContextType,
  GRPC_STATUSES,
  type ProblemModel,
  snakeCase,
  statusOf,
} from '../model/errors.ts';
import { fileTitle } from '../model/ledger.ts';
import { docComment, HEADER, literal, quote } from '../text.ts';

/** errors.ts: the catalogue as data, and the context type of each error, the whole data included where it has a schema. */
export const renderErrors = (errors: readonly CatalogueError[]): Files => ({
  'errors.ts': `${HEADER}${dataImport(errors)}import type { FieldProblem } from '../runtime/field-problem.ts';

/** Every error by its stable name: HTTP status, its wire forms, and the context members that go into the data. */
export const ERRORS = {
${errors.map(entry).join('')}} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorEntry = {
  readonly area: string;
  readonly http: number;
  /** Code and message template; absent: JSON-RPC never answers it. */
  readonly jsonrpc?: { readonly code: number; readonly message: string };
  /** The problem (RFC 9457), its detail a template; absent: the wallet service never answers it. */
  readonly problem?: { readonly code: string; readonly status: number; readonly title: string; readonly detail: string };
  /** The status by its name, and the message, a template; absent: gRPC never answers it. */
  readonly grpc?: { readonly status: GrpcStatus; readonly message: string };
  /** Code and reason template of the close frame; absent: it ends no WebSocket. */
  readonly close?: { readonly code: number; readonly reason: string };
  readonly data: readonly string[];
};

/** The statuses of gRPC that errors have. */
export type GrpcStatus = ${GRPC_STATUSES.map(quote).join(' | ')};

export type ErrorName = keyof typeof ERRORS;

/** The entry of an error of which only the name is known. */
export const errorEntry = (name: ErrorName): ErrorEntry => ERRORS[name];

/** The errors that have a form of the kind. */
export type ErrorNameWith<K extends 'jsonrpc' | 'problem' | 'grpc' | 'close'> = {
  [N in ErrorName]: (typeof ERRORS)[N] extends Readonly<Record<K, unknown>> ? N : never;
}[ErrorName];

/** The values of the placeholders in each error's texts, and its data. */
export type ErrorContext = {
${errors.map((error) => `readonly ${error.name}: ${contextType(error)};\n`).join('')}};
`,
});

const entry = (error: CatalogueError): string => {
  const { name, summary, area, http, jsonrpc, close, data } = error;
  const rpc = jsonrpc && { code: jsonrpc.code, message: jsonrpc.message };
  return `${docComment(summary)}${name}: ${literal({ area, http, jsonrpc: rpc, problem: problemOf(error), grpc: grpcOf(error), close, data })},\n`;
};

const problemOf = (error: CatalogueError) => {
  const { problem } = error;
  if (!problem) return undefined;
  const status = statusOf(error as ProblemModel);
  return { code: snakeCase(error.name), status, title: problem.title, detail: problem.detail };
};

const grpcOf = ({ grpc, jsonrpc, problem }: CatalogueError) =>
  grpc && { status: grpc.status, message: grpc.message ?? jsonrpc?.message ?? problem?.detail };

const TYPES: Readonly<Record<ContextType, string>> = {
  integer: 'number | bigint',
  string: 'string',
  fieldProblems: 'readonly FieldProblem[]',
};

const dataImport = (errors: readonly CatalogueError[]): string => {
  const titles = new Set(
    errors.flatMap(({ dataSchema }) => (dataSchema ? [fileTitle(dataSchema.$ref)] : [])),
  );
  return titles.size === 0
    ? ''
    : `import type { ${[...titles].sort().join(', ')} } from './ledger/types.ts';\n`;
};

const contextType = ({ context, dataSchema }: CatalogueError): string => {
  const members = Object.entries(context).map(([name, type]) => `readonly ${name}: ${TYPES[type]}`);
  if (dataSchema) members.push(`readonly data: ${fileTitle(dataSchema.$ref)}`);
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
};
