import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { isHeaderValue } from '../../../generated/wallets/operations.ts';
import { type BodyCheck, checkAgainstBody } from '../../../runtime/check-body.ts';
import { checkAgainstQuery, type QueryCheck } from '../../../runtime/check-query.ts';
import type { FieldProblem } from '../../../runtime/field-problem.ts';
import {
  type AnswerForm,
  MEDIA_TYPES,
  OTHER_MEDIA_TYPES,
  type RestOperation,
} from '../../../runtime/rest-operation.ts';
import { readIdempotencyKey } from '../../account/idempotency/idempotency.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { measureJson, scanMembers } from '../../core/rpc/json.ts';

/** Maximum number of reported faults: nobody reads more. */
const MAX_PROBLEMS = 32;
/** Maximum length of a pointer: a longer one holds text of the sender, and is cut. */
const MAX_POINTER_CHARS = 200;
/** No body of an operation is nested this deeply, or has this many values. */
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
 * @throws ServiceError `bodyNotUtf8`, `bodyInvalid` (a body that is nested too deeply or has too many values is not read further) or
 *   `queryInvalid` with every fault, `notAcceptable`.
 */
export function readRequest(
  entry: RestOperation,
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
export function readKey({ idempotent }: RestOperation, headers: IncomingHttpHeaders): string | undefined {
  const text = headers['idempotency-key'];
  return idempotent && typeof text === 'string' ? readIdempotencyKey(text) : undefined;
}

/**
 * Reads X-Wallets-Received: how many wallets of an earlier request with the same Idempotency-Key arrived. Undefined without it,
 * and for operations that do not take it.
 *
 * @throws ServiceError `walletsReceivedInvalid`.
 */
export function readReceived(
  entry: RestOperation,
  headers: IncomingHttpHeaders,
  body: object | undefined,
): number | undefined {
  const text = headers['x-wallets-received'];
  if (typeof text !== 'string' || !entry.headers.includes('X-Wallets-Received')) return undefined;
  if (!isHeaderValue('X-Wallets-Received', text))
    throw invalidReceived('expected a whole number from 0, of at most 10 digits');
  if (headers['idempotency-key'] === undefined)
    throw invalidReceived('the Idempotency-Key of the earlier request is missing');
  if (isManaged(body))
    throw invalidReceived('managed custody does not use it; repeat the request without it');
  return Number(text);
}

function isManaged(body: object = {}): boolean {
  return ('custody' in body && body.custody === 'managed') || 'master_wallet_id' in body;
}

function invalidReceived(reason: string): ServiceError {
  return serviceError('walletsReceivedInvalid', { reason });
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

/** Reads a missing body as one without members. The parser's own message is not repeated: it quotes the body. */
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

/**
 * Refuses bodies that are nested deeply or have many values: parsing them costs hundreds of times what sending them costs.
 * @throws ServiceError `bodyInvalid`.
 */
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
  { forms }: RestOperation,
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

/** A parameter of a media range other than its weight, or an extension after that; the weight is the one called `q`. */
const OTHER_PARAMETER = /;(?![ \t]*q[ \t]*=)[^;,="]*(?:=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?/gi;

/**
 * Returns the media type that Accept prefers (RFC 9110, section 12.5.1); undefined if it accepts none of them. Parameters of its ranges
 * do not count: no answer comes in several variants that differ by one. An empty Accept accepts everything.
 */
export function acceptedType(
  { accept = '' }: Pick<IncomingHttpHeaders, 'accept'>,
  types: readonly string[],
): string | undefined {
  const ranges = accept.replaceAll(OTHER_PARAMETER, '');
  const headers = /^[ \t,]*$/.test(ranges) ? {} : { accept: ranges };
  return new Negotiator({ headers }).mediaType([...types]);
}

/**
 * Finds body members in the query of a request, where they would be ignored: `?custody=managed` would be answered with secret
 * keys. Their values are not shown. Other query parameters pass.
 */
function misplacedMembers(query: unknown, bodyMembers: ReadonlySet<string>): readonly FieldProblem[] {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : [];
  return names
    .map((name) => name.toLowerCase())
    .filter((name) => bodyMembers.has(name))
    .map((name) => ({
      pointer: `/${name}`,
      detail: 'is in the query string; send it as a member of the JSON body',
    }));
}

/** No operation's body is nested deeper: a deeper one has an unknown member, and is refused for that. */
const MAX_DEPTH = 4;
const OPEN_BRACE = 0x7b;

/**
 * Finds the members that appear twice in a JSON object, or in an object inside it: parsers disagree about which of the two
 * counts (RFC 8259, section 4). Names are compared decoded.
 *
 * @param json bytes that passed JSON.parse.
 */
function repeatedMembers(json: Buffer, pointer = '', depth = 1): readonly FieldProblem[] {
  const members = scanMembers(json) ?? [];
  const seen = new Set<string>();
  return members.flatMap(({ name, start, end }) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const own = seen.has(name) ? [{ pointer: at, detail: 'appears more than once' }] : [];
    seen.add(name);
    const isNested = json[start] === OPEN_BRACE && depth < MAX_DEPTH;
    return isNested ? [...own, ...repeatedMembers(json.subarray(start, end), at, depth + 1)] : own;
  });
}
