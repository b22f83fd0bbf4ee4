import { ERRORS, type ErrorContext, type ErrorName, errorEntry } from '../../generated/errors.ts';

/** The catalogue names whose context has no required member. */
type BareErrorName = {
  [N in ErrorName]: Record<string, never> extends ErrorContext[N] ? N : never;
}[ErrorName];

/**
 * The only error that is thrown inside src/, but for what src/store says of a statement that was refused (`isRefused`). `code` is the stable name in spec/errors.yaml, `context` fills the
 * public text and data; `cause` is internal and never leaves the process. What a client has brought on
 * itself has no stack: to walk it would cost more than to answer.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorName;
  readonly context: Readonly<Record<string, unknown>>;

  constructor(code: ErrorName, context: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    const message = fillTemplate(templateOf(code), context);
    const { stackTraceLimit } = Error;
    if (isRefusal(code)) Error.stackTraceLimit = 0;
    super(message, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.context = context;
  }
}

/** Whether an error tells a client of what it sent, rather than of us or of a node behind us. */
function isRefusal(code: ErrorName): boolean {
  const { http = 500 } = errorEntry(code);
  return http < 500 && code !== 'internalError';
}

/** Makes a ServiceError whose context is the one that its catalogue entry asks for. */
export function serviceError<N extends BareErrorName>(
  code: N,
  context?: ErrorContext[N],
  cause?: unknown,
): ServiceError;
export function serviceError<N extends ErrorName>(
  code: N,
  context: ErrorContext[N],
  cause?: unknown,
): ServiceError;
export function serviceError(
  code: ErrorName,
  context: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): ServiceError {
  return new ServiceError(code, context, cause);
}

/** A ServiceError as it is; anything else as `internalError` with the original as its internal cause. */
export function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('internalError', {}, error);
}

/** The public text: the catalogue's template with its placeholders filled from the context. */
export function errorMessage(error: ServiceError): string {
  return error.message;
}

/**
 * The public `data` member: the context members that the catalogue lists, or the whole `data` of a context where the
 * catalogue gives it a schema. Undefined if there are none.
 */
export function errorData(error: ServiceError): unknown {
  const members: readonly string[] = ERRORS[error.code].data;
  if (members.length === 0) return error.context.data;
  const known = members.filter((member) => error.context[member] !== undefined);
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map((member) => [member, error.context[member]]));
}

/** The detail of the error's problem (RFC 9457), its placeholders filled from the context. */
export function problemDetail({ code, context }: ServiceError): string {
  return fillTemplate(errorEntry(code).problem?.detail ?? code, context);
}

/** The message of the error's gRPC form, its placeholders filled from the context. */
export function grpcMessage({ code, context }: ServiceError): string {
  return fillTemplate(errorEntry(code).grpc?.message ?? code, context);
}

/** What an error ends a WebSocket with; undefined for one that ends none. */
export function closeOf({ code, context }: ServiceError) {
  const { close } = errorEntry(code);
  return close && { code: close.code, reason: fillTemplate(close.reason, context) };
}

/** The words of JSON-RPC where the error has them, else those of its problem, of gRPC or of its close. */
function templateOf(code: ErrorName): string {
  const { jsonrpc, problem, grpc, close } = errorEntry(code);
  return jsonrpc?.message ?? problem?.detail ?? grpc?.message ?? close?.reason ?? code;
}

function fillTemplate(template: string, context: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    context[name] === undefined ? placeholder : String(context[name]),
  );
}
