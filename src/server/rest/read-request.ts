import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { checkBody } from '../../../generated/wallets/check-body.ts';
import type { WalletRequest } from '../../../generated/wallets/handlers.ts';
import {
  type AnswerForm,
  MEDIA_TYPES,
  type OperationEntry,
  type OperationId,
  OPERATIONS,
  type OperationWithBody,
} from '../../../generated/wallets/operations.ts';
import { readIdempotencyKey } from '../../account/idempotency.ts';
import { serviceError } from '../../service-error.ts';

/** What came, before anything of it was looked at. */
export type RawRequest = {
  readonly id: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the body; they are overwritten when they are read. */
  readonly body: Buffer | undefined;
};

/**
 * Reads a request of an operation.
 *
 * @throws ServiceError `bodyNotUtf8`, `bodyInvalid` with every fault, `notAcceptable`.
 */
export function readRequest<O extends OperationId>(operation: O, raw: RawRequest): WalletRequest<O> {
  const entry: OperationEntry = OPERATIONS[operation];
  const body = hasBody(operation) ? readBody(operation, raw.body) : undefined;
  const twoFactorCode = raw.headers['x-two-factor-code'];
  return {
    id: raw.id ?? '',
    form: chooseForm(entry, raw.headers, body),
    body: body as WalletRequest<O>['body'],
    twoFactorCode: typeof twoFactorCode === 'string' ? twoFactorCode : undefined,
  };
}

/** The Idempotency-Key of a request; undefined without one. @throws ServiceError `idempotencyKeyInvalid`. */
export function readKey(operation: OperationId, headers: IncomingHttpHeaders): string | undefined {
  const { idempotent } = OPERATIONS[operation];
  const text = headers['idempotency-key'];
  return idempotent && typeof text === 'string' ? readIdempotencyKey(text) : undefined;
}

function readBody(operation: OperationWithBody, bytes: Buffer | undefined): object {
  const checked = checkBody(operation, parse(bytes));
  if (checked.kind === 'problems') throw serviceError('bodyInvalid', { errors: [...checked.problems] });
  return checked.body;
}

/** The parser's own words are not repeated: they quote the body. */
function parse(bytes: Buffer = Buffer.alloc(0)): unknown {
  if (!isUtf8(bytes)) throw serviceError('bodyNotUtf8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw serviceError('bodyInvalid', { errors: [{ pointer: '', detail: 'is not JSON' }] });
  } finally {
    bytes.fill(0);
  }
}

/** The body says which form is wanted, or else Accept, or else it is the first. */
function chooseForm(
  { forms }: OperationEntry,
  headers: IncomingHttpHeaders,
  body: { readonly format?: AnswerForm } | undefined,
): AnswerForm {
  const [first = 'json'] = forms;
  if (body?.format !== undefined) return body.format;
  if (forms.length === 1) return first;
  const types = forms.map((form) => MEDIA_TYPES[form]);
  const accepted = new Negotiator({ headers }).mediaType(types);
  const form = forms.find((each) => MEDIA_TYPES[each] === accepted);
  if (form === undefined) throw serviceError('notAcceptable', { accepted: types.join(', ') });
  return form;
}

function hasBody(operation: OperationId): operation is OperationWithBody {
  return OPERATIONS[operation].method === 'POST';
}
