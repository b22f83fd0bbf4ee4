import { ERRORS } from '../../../generated/errors.ts';
import { toServiceError } from '../service-error.ts';
import type { CallLimits, Envelope, ServeCall } from './call.ts';
import { joinReplies } from './join-replies.ts';
import { parseBody } from './parse-body.ts';
import { errorReply, type Answer, answerEnvelope } from './replies.ts';

/**
 * Answers a JSON-RPC body, a single message or a batch, one call after the other, and returns the reply body. Undefined: nothing to answer
 * (HTTP 200 with an empty body).
 *
 * @throws ServiceError only for errors whose HTTP status is not 200 (`bodyNotUtf8`): the caller owns the status line.
 */
export async function answerBody(
  body: Buffer,
  serve: ServeCall,
  limits: Pick<CallLimits, 'maxBatchCalls'>,
): Promise<Buffer | undefined> {
  try {
    const message = parseBody(body, limits);
    if (message.kind === 'batch') {
      const parts = joinReplies(await answerInTurn(message.envelopes, serve));
      return parts.length === 0 ? undefined : Buffer.concat(parts);
    }
    const parts = await answerEnvelope(message.envelope, serve);
    return parts === undefined ? undefined : Buffer.concat(parts);
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (ERRORS[error.code].http !== 200) throw error;
    return errorReply('null', error);
  }
}

async function answerInTurn(envelopes: readonly Envelope[], serve: ServeCall): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const envelope of envelopes) answers.push(await answerEnvelope(envelope, serve));
  return answers;
}
