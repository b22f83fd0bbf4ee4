import { ERRORS, type ErrorContext, type ErrorName, errorEntry } from '../../generated/errors.ts';

/** The catalogue names whose context has no required members. */
type BareErrorName = {
  [N in ErrorName]: Record<string, never> extends ErrorContext[N] ? N : never;
}[ErrorName];

/**
 * The only error thrown inside src/, except the ones by which src/store reports a refused statement (`isRefused`). `code` is
 * the stable name in spec/errors.yaml, `context` fills the public text and data; `cause` is internal and never leaves the
 * process. Errors caused by the client have no stack: capturing one would cost more than answering.
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

/** True for an error caused by what the client sent, not by this server or a node behind it. */
function isRefusal(code: ErrorName): boolean {
  const { http = 500 } = errorEntry(code);
  return http < 500 && code !== 'internalError';
}

/** Creates a ServiceError with the context that its catalogue entry requires. */
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

/** Returns a ServiceError as it is; wraps anything else in `internalError` with the original as its internal cause. */
export function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('internalError', {}, error);
}

/** Returns the public text: the catalogue's template with its placeholders filled from the context. */
export function errorMessage(error: ServiceError): string {
  return error.message;
}

/**
 * Returns the public `data` member: the context members that the catalogue lists, or the context's whole `data` where the catalogue gives
 * it a schema. Undefined without any.
 */
export function errorData(error: ServiceError): unknown {
  const members: readonly string[] = ERRORS[error.code].data;
  if (members.length === 0) return error.context.data;
  const known = members.filter((member) => error.context[member] !== undefined);
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map((member) => [member, error.context[member]]));
}

/** Returns the detail of the error's problem (RFC 9457), its placeholders filled from the context. */
export function problemDetail({ code, context }: ServiceError): string {
  return fillTemplate(errorEntry(code).problem?.detail ?? code, context);
}

/** Returns the gRPC message of the error, its placeholders filled from the context. */
export function grpcMessage({ code, context }: ServiceError): string {
  return fillTemplate(errorEntry(code).grpc?.message ?? code, context);
}

/** Returns the WebSocket close code and reason of an error; undefined for an error that does not close the connection. */
export function closeOf({ code, context }: ServiceError) {
  const { close } = errorEntry(code);
  return close && { code: close.code, reason: fillTemplate(close.reason, context) };
}

/** Returns the JSON-RPC message where the error has one, else its problem detail, gRPC message or close reason. */
function templateOf(code: ErrorName): string {
  const { jsonrpc, problem, grpc, close } = errorEntry(code);
  return jsonrpc?.message ?? problem?.detail ?? grpc?.message ?? close?.reason ?? code;
}

function fillTemplate(template: string, context: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    context[name] === undefined ? placeholder : String(context[name]),
  );
}
