import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { checkBody } from '../../../generated/wallets/check-body.ts';
import { checkQuery } from '../../../generated/wallets/check-query.ts';
import { QUERY_CHECKS } from '../../../generated/wallets/query-checks.js';
import type { FieldProblem } from '../../../runtime/field-problem.ts';
import type { WalletRequest } from '../../../generated/wallets/handlers.ts';
import {
  type AnswerForm,
  BODY_MEMBERS,
  isHeaderValue,
  MEDIA_TYPES,
  type OperationEntry,
  type OperationId,
  OPERATIONS,
  type OperationWithBody,
  type OperationWithQuery,
  OTHER_MEDIA_TYPES,
} from '../../../generated/wallets/operations.ts';
import { readIdempotencyKey } from '../../account/idempotency.ts';
import { type ServiceError, serviceError } from '../../base/service-error.ts';
import { scanMembers } from '../../rpc/scan-json.ts';

/** The most faults reported: nobody reads more. */
const MAX_PROBLEMS = 32;

/** No operation's body is nested deeper; one that is has an unknown member, and is refused for that. */
const MAX_BODY_DEPTH = 4;
const OPEN_BRACE = 0x7b;

/** A request before any of it was checked. */
export type RawRequest = {
  readonly id: string | undefined;
  /** The query parameters. */
  readonly query: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the body; they are overwritten once they are read. */
  readonly body: Buffer | undefined;
};

/**
 * Reads a request of an operation.
 *
 * @throws ServiceError `bodyNotUtf8`, `bodyInvalid` or `queryInvalid` with every fault, `notAcceptable`.
 */
export function readRequest<O extends OperationId>(operation: O, raw: RawRequest): WalletRequest<O> {
  const entry: OperationEntry = OPERATIONS[operation];
  const body = hasBody(operation) ? readBody(operation, raw) : undefined;
  const query = hasQuery(operation) ? readQuery(operation, raw) : undefined;
  const twoFactorCode = raw.headers['x-two-factor-code'];
  return {
    id: raw.id ?? '',
    form: chooseForm(entry, raw.headers, body),
    body: body as WalletRequest<O>['body'],
    query: query as WalletRequest<O>['query'],
    twoFactorCode: typeof twoFactorCode === 'string' ? twoFactorCode : undefined,
  };
}

/** Reads the Idempotency-Key of a request; undefined without one. @throws ServiceError `idempotencyKeyInvalid`. */
export function readKey(operation: OperationId, headers: IncomingHttpHeaders): string | undefined {
  const { idempotent } = OPERATIONS[operation];
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
  operation: OperationId,
  headers: IncomingHttpHeaders,
  body: object | undefined,
): number | undefined {
  const entry: OperationEntry = OPERATIONS[operation];
  const text = headers['x-wallets-received'];
  if (typeof text !== 'string' || !entry.headers.includes('X-Wallets-Received')) return undefined;
  if (!isHeaderValue('X-Wallets-Received', text))
    throw unfitReceived('expected a whole number from 0, of at most 10 digits');
  if (headers['idempotency-key'] === undefined)
    throw unfitReceived('the Idempotency-Key of the earlier request is missing');
  if (isManaged(body)) throw unfitReceived('managed custody does not use it; repeat the request without it');
  return Number(text);
}

function isManaged(body: object = {}): boolean {
  return ('custody' in body && body.custody === 'managed') || 'master_wallet_id' in body;
}

function unfitReceived(reason: string): ServiceError {
  return serviceError('walletsReceivedInvalid', { reason });
}

function readBody(operation: OperationWithBody, { body, query }: RawRequest): object {
  const misplaced = misplacedMembers(query);
  const { value, repeated } = parse(body);
  const checked = checkBody(operation, value);
  const unfit = checked.kind === 'problems' ? checked.problems : [];
  const errors = [...misplaced, ...repeated, ...unfit].slice(0, MAX_PROBLEMS);
  if (checked.kind === 'problems' || errors.length > 0) throw serviceError('bodyInvalid', { errors });
  return checked.body;
}

function readQuery(operation: OperationWithQuery, { query }: RawRequest): object {
  const checked = checkQuery(operation, query as Readonly<Record<string, unknown>>);
  if (checked.kind === 'problems') throw serviceError('queryInvalid', { errors: checked.problems });
  return checked.query;
}

type Parsed = { readonly value: unknown; readonly repeated: readonly FieldProblem[] };

/** The parser's own message is not repeated: it quotes the body. */
function parse(bytes: Buffer = Buffer.alloc(0)): Parsed {
  if (!isUtf8(bytes)) throw serviceError('bodyNotUtf8');
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
 * Finds body members in the query of a request, where they would be ignored: `?custody=managed` would be answered with secret
 * keys. Their values are not shown. Other query parameters pass.
 */
function misplacedMembers(query: unknown): readonly FieldProblem[] {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : [];
  return names
    .map((name) => name.toLowerCase())
    .filter((name) => BODY_MEMBERS.has(name))
    .map((name) => ({
      pointer: `/${name}`,
      detail: 'is in the query string; send it as a member of the JSON body',
    }));
}

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
    const isNested = json[start] === OPEN_BRACE && depth < MAX_BODY_DEPTH;
    return isNested ? [...own, ...repeatedMembers(json.subarray(start, end), at, depth + 1)] : own;
  });
}

/** The form that the body names, else the one in Accept, else the first. */
function chooseForm(
  { forms }: OperationEntry,
  headers: IncomingHttpHeaders,
  body: { readonly format?: AnswerForm } | undefined,
): AnswerForm {
  const [first = 'json'] = forms;
  if (body?.format !== undefined) return body.format;
  if (forms.length === 1) return first;
  const types = forms.flatMap(typesOf);
  const accepted = new Negotiator({ headers }).mediaType(types);
  const form = forms.find((each) => typesOf(each).some((type) => type === accepted));
  if (form === undefined) throw serviceError('notAcceptable', { accepted: types.join(', ') });
  return form;
}

/** Returns the media types by which a form may be requested, its own first. */
function typesOf(form: AnswerForm): readonly string[] {
  const other = OTHER_MEDIA_TYPES[form];
  return other === undefined ? [MEDIA_TYPES[form]] : [MEDIA_TYPES[form], other];
}

function hasQuery(operation: OperationId): operation is OperationWithQuery {
  return operation in QUERY_CHECKS;
}

function hasBody(operation: OperationId): operation is OperationWithBody {
  return OPERATIONS[operation].method === 'POST';
}
