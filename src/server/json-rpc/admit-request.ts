import type { Admission, Verdict } from '../../gate/admission.ts';
import type { Caller } from '../../gate/authenticate.ts';
import { weighMessage } from '../../gate/weigh.ts';
import { serviceError } from '../../base/service-error.ts';
import { isJsonContentType } from '../http/content-type.ts';
import { setLimitFields } from '../http/limit-fields.ts';
import { readBody } from '../http/read-body.ts';
import { type HttpRequest, type HttpResponse, sendError } from '../http/respond.ts';
import type { CallLimits, Message } from '../../rpc/call.ts';
import { countInvalid, idOf } from '../../rpc/message-parts.ts';
import { parseBody } from '../../rpc/parse-body.ts';

export type AdmitOptions = {
  readonly admission: Admission;
  readonly limits: Pick<CallLimits, 'maxBatchCalls'>;
  readonly maxBodyBytes: number;
};

type Exchange = { readonly request: HttpRequest; readonly response: HttpResponse };

/** A body that may be larger than this is not read for a key that has nothing left. */
const CHEAP_BODY_BYTES = 16 * 1024;

/**
 * Reads a request of a known key and charges the key's plan for it, before any call runs. Every answer carries the rate limit
 * fields.
 *
 * @returns its messages; undefined when the plan did not allow them, which has been answered, or the client has disconnected.
 * @throws ServiceError the fault of the request as a whole, which weighs 1: `contentTypeNotAllowed`, `bodyTooLarge`, and those
 *   of `parseBody`.
 */
export async function admitRequest(
  { admission, limits, maxBodyBytes }: AdmitOptions,
  caller: Caller,
  exchange: Exchange,
): Promise<Message | undefined> {
  const { request, response } = exchange;
  if (isCostly(request)) {
    if (!mayGoOn(exchange, await admission.preview(caller), 'null')) return undefined;
  }
  let message: Message;
  try {
    message = await readMessage(exchange, { limits, maxBodyBytes });
  } catch (fault) {
    if (mayGoOn(exchange, await admission.admitFaulty(caller), 'null')) throw fault;
    return undefined;
  }
  const verdict = await admission.admit(caller, weighMessage(message));
  if (!mayGoOn(exchange, verdict, idOf(message)) || response.destroyed) return undefined;
  admission.countInvalid(caller, countInvalid(message));
  return message;
}

async function readMessage(
  { request, response }: Exchange,
  { limits, maxBodyBytes }: Pick<AdmitOptions, 'limits' | 'maxBodyBytes'>,
): Promise<Message> {
  if (!isJsonContentType(request.headers['content-type'])) throw serviceError('contentTypeNotAllowed');
  return parseBody(await readBody(request, response, maxBodyBytes), limits);
}

/** True if a body is announced as large, or without a size. */
function isCostly({ headers }: HttpRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > CHEAP_BODY_BYTES;
}

/** False: the plan did not allow it, and that has been answered. */
function mayGoOn({ request, response }: Exchange, verdict: Verdict, id: string): boolean {
  if (response.destroyed) return false;
  setLimitFields(request, response, verdict);
  if (verdict.refusal === undefined) return true;
  sendError(response, verdict.refusal, id);
  return false;
}
