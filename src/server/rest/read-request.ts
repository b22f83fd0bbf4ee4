import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type AnswerForm, MEDIA_TYPES, OTHER_MEDIA_TYPES } from '../../../generated/wallets/operations.ts';
import { type BodyCheck, checkAgainstBody } from '../../../runtime/check-body.ts';
import { checkAgainstQuery, type QueryCheck } from '../../../runtime/check-query.ts';
import type { FieldProblem } from '../../../runtime/field-problem.ts';
import { readIdempotencyKey } from '../../account/idempotency.ts';
import { serviceError } from '../../base/service-error.ts';
import { acceptedType } from './accepted-type.ts';
import type { ServedOperation } from './rest-service.ts';
import { misplacedMembers } from './misplaced-members.ts';
import { measureJson } from '../../rpc/scan-json.ts';
import { repeatedMembers } from './repeated-members.ts';

/** The most faults reported: nobody reads more. */
const MAX_PROBLEMS = 32;
/** What is longer in a pointer is the sender's own text, and cut. */
const MAX_POINTER_CHARS = 200;
/** No operation's body is nested as deep, or has as many values. */
const MOST = { depth: 32, values: 4_096 } as const;

/** The checks of a service, and the members of all its bodies. */
export type RequestChecks = {
  readonly bodies: Readonly<Record<string, BodyCheck>>;
  readonly queries: Readonly<Record<string, QueryCheck>>;
  readonly bodyMembers: ReadonlySet<string>;
};

/** A request as it came: `body` holds the bytes of its body, if it has one. */
export type UnreadRequest = Pick<FastifyRequest, 'headers' | 'query' | 'params' | 'body'>;

/** A request of an operation, read and checked. */
export type ReadRequest = {
  /** The id in the path; empty where the path has none. */
  readonly id: string;
  readonly form: AnswerForm;
  readonly body: object | undefined;
  readonly query: object | undefined;
  readonly twoFactorCode: string | undefined;
};

/**
 * Reads a request of an operation. The bytes of its body are overwritten once they are read.
 *
 * @throws ServiceError `bodyNotUtf8`, `bodyInvalid` (what is nested too deep or has too many values is not read further) or `queryInvalid`
 *   with every fault, `notAcceptable`.
 */
export function readRequest(
  entry: ServedOperation,
  {
    operation,
    request,
    checks,
  }: { readonly operation: string; readonly request: UnreadRequest; readonly checks: RequestChecks },
): ReadRequest {
  const { headers, query: parameters } = request;
  const bodyCheck = entry.method === 'POST' ? checks.bodies[operation] : undefined;
  const body = bodyCheck && readBody(bodyCheck, request, checks);
  const queryCheck = checks.queries[operation];
  const query = queryCheck && readQuery(queryCheck, parameters as Readonly<Record<string, unknown>>);
  const twoFactorCode = headers['x-two-factor-code'];
  return {
    id: (request.params as { readonly id?: string }).id ?? '',
    form: chooseForm(entry, headers, body),
    body,
    query,
    twoFactorCode: typeof twoFactorCode === 'string' ? twoFactorCode : undefined,
  };
}

/** Reads the Idempotency-Key of a request; undefined without one. @throws ServiceError `idempotencyKeyInvalid`. */
export function readKey({ idempotent }: ServedOperation, headers: IncomingHttpHeaders): string | undefined {
  const text = headers['idempotency-key'];
  return idempotent && typeof text === 'string' ? readIdempotencyKey(text) : undefined;
}

function readBody(check: BodyCheck, { body, query }: UnreadRequest, { bodyMembers }: RequestChecks): object {
  const misplaced = misplacedMembers(query, bodyMembers);
  const { value, repeated } = parse(body as Buffer | undefined);
  const checked = checkAgainstBody(check, value);
  const unfit = checked.kind === 'problems' ? checked.problems : [];
  const errors = [...misplaced, ...repeated, ...unfit].slice(0, MAX_PROBLEMS).map(withShortPointer);
  if (checked.kind === 'problems' || errors.length > 0) throw serviceError('bodyInvalid', { errors });
  return checked.body as object;
}

function readQuery(check: QueryCheck, parameters: Readonly<Record<string, unknown>>): object {
  const checked = checkAgainstQuery(check, parameters);
  if (checked.kind === 'problems') throw serviceError('queryInvalid', { errors: checked.problems });
  return checked.query as object;
}

type Parsed = { readonly value: unknown; readonly repeated: readonly FieldProblem[] };

/** No body is one without members. The parser's own message is not repeated: it quotes the body. */
function parse(bytes: Buffer | undefined): Parsed {
  if (bytes === undefined || bytes.length === 0) return { value: {}, repeated: [] };
  if (!isUtf8(bytes)) throw serviceError('bodyNotUtf8');
  assertModest(bytes);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return { value, repeated: repeatedMembers(bytes) };
  } catch {
    throw serviceError('bodyInvalid', { errors: [{ pointer: '', detail: 'is not JSON' }] });
  } finally {
    bytes.fill(0);
  }
}

/** Parsing what is deep or has many members costs hundreds of times what sending it costs. @throws ServiceError `bodyInvalid`. */
function assertModest(bytes: Buffer): void {
  const { depth, values } = measureJson(bytes, MOST.depth);
  const refuse = (detail: string, limit: number): Error =>
    serviceError('bodyInvalid', { errors: [{ pointer: '', detail, limit }] });
  if (depth > MOST.depth) throw refuse(`must be nested at most ${MOST.depth} levels deep`, MOST.depth);
  if (values > MOST.values) throw refuse(`must have at most ${MOST.values} values`, MOST.values);
}

function withShortPointer(problem: FieldProblem): FieldProblem {
  const { pointer } = problem;
  return pointer.length <= MAX_POINTER_CHARS
    ? problem
    : { ...problem, pointer: `${pointer.slice(0, MAX_POINTER_CHARS)}…` };
}

/** The form that the body names, else the one in Accept, else the first. */
function chooseForm(
  { forms }: ServedOperation,
  headers: IncomingHttpHeaders,
  body: { readonly format?: AnswerForm } | undefined,
): AnswerForm {
  const [first = 'json'] = forms;
  if (body?.format !== undefined) return body.format;
  if (forms.length === 1) return first;
  const types = forms.flatMap(typesOf);
  const accepted = acceptedType(headers, types);
  const form = forms.find((each) => typesOf(each).some((type) => type === accepted));
  if (form === undefined) throw serviceError('notAcceptable', { accepted: types.join(', ') });
  return form;
}

/** Returns the media types by which a form may be requested, its own first. */
function typesOf(form: AnswerForm): readonly string[] {
  const other = OTHER_MEDIA_TYPES[form];
  return other === undefined ? [MEDIA_TYPES[form]] : [MEDIA_TYPES[form], other];
}
