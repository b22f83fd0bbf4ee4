import { type ServiceError, toServiceError } from '../base/service-error.ts';
import type { Call, Envelope, ServeCall } from './call.ts';
import { errorReply, resultReply } from './replies.ts';

/** A reply in unjoined parts; undefined: there is nothing to answer. */
export type Answer = readonly Buffer[] | undefined;

/** Returns the error reply to a failed call; `id` is the raw token. */
export type Refuse = (id: string, error: ServiceError) => Buffer;

/** Answers one message; undefined for a notification. Never rejects: a failure becomes an error reply. */
export async function answerEnvelope(
  envelope: Envelope,
  serve: ServeCall,
  refuse: Refuse = errorReply,
): Promise<Answer> {
  if (envelope.kind === 'invalid') return [refuse(envelope.id, envelope.error)];
  return await answerCall(envelope.call, serve, refuse);
}

/** Answers one call; like `answerEnvelope` for a message that is a valid call. */
export async function answerCall(call: Call, serve: ServeCall, refuse: Refuse): Promise<Answer> {
  const parts = await replyTo(call, serve, refuse);
  return call.isNotification ? undefined : parts;
}

async function replyTo(call: Call, serve: ServeCall, refuse: Refuse): Promise<readonly Buffer[]> {
  try {
    const reply = await serve(call);
    return reply.kind === 'parts' ? reply.parts : [resultReply(call.id, reply.json)];
  } catch (error) {
    return [refuse(call.id, toServiceError(error))];
  }
}
