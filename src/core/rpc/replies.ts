import { errorEntry } from '../../../generated/errors.ts';
import { stringifyJson } from './json.ts';
import {
  errorData,
  errorMessage,
  type ServiceError,
  serviceError,
  toServiceError,
} from '../service-error.ts';
import type { Call, Envelope, ServeCall } from './call.ts';

/** Returns a JSON-RPC success reply around the JSON text of a result; `id` is the client's raw token. Ends with a newline. */
export function resultReply(id: string, json: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","result":${json},"id":${id}}\n`);
}

/**
 * Returns a JSON-RPC error reply: the catalogue's code, the public text and data, never the internal cause. An error without a
 * JSON-RPC form is answered as internalError.
 */
export function errorReply(id: string, error: ServiceError): Buffer {
  const form = errorEntry(error.code).jsonrpc;
  if (form === undefined) return errorReply(id, serviceError('internalError', {}, error));
  const { code } = form;
  const body = stringifyJson({ code, message: errorMessage(error), data: errorData(error) });
  return Buffer.from(`{"jsonrpc":"2.0","error":${body},"id":${id}}\n`);
}

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
