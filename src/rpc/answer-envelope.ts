import { type ServiceError, toServiceError } from '../base/service-error.ts';
import type { Call, Envelope, ServeCall } from './call.ts';
import { errorReply, resultReply } from './replies.ts';

/** A reply in parts, which are not joined; undefined: nothing is answered. */
export type Answer = readonly Buffer[] | undefined;

/** The reply to a call that has failed, by its raw id. */
export type Refuse = (id: string, error: ServiceError) => Buffer;

/** Serves one message; undefined for a notification. Never rejects: a failure is an error reply. */
export async function answerEnvelope(
  envelope: Envelope,
  serve: ServeCall,
  refuse: Refuse = errorReply,
): Promise<Answer> {
  if (envelope.kind === 'invalid') return [refuse(envelope.id, envelope.error)];
  return await answerCall(envelope.call, serve, refuse);
}

/** The same for a call. */
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
