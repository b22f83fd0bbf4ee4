import { toServiceError } from '../../service-error.ts';
import type { Call, CallLimits, Envelope, RawReply, ServeCall } from './call.ts';
import { errorReply, resultReply } from './replies.ts';

type Parts = readonly Buffer[];

const SEPARATOR = Buffer.from(',');

/**
 * Serves the messages of a batch, `batchConcurrency` at a time, and joins the replies in the order of the calls. A call
 * that fails is an error object in its place; notifications run and leave no place. The answer comes in parts, which are
 * not joined; there are none if nothing is to be answered (an empty batch, or notifications only). Never rejects.
 */
export async function answerBatch(
  envelopes: readonly Envelope[],
  serve: ServeCall,
  { batchConcurrency }: Pick<CallLimits, 'batchConcurrency'>,
): Promise<Parts> {
  const replies: (Parts | undefined)[] = new Array(envelopes.length);
  const pending = envelopes.entries();
  const work = async (): Promise<void> => {
    for (const [index, envelope] of pending) replies[index] = await answerEnvelope(envelope, serve);
  };
  await Promise.all(Array.from({ length: Math.min(batchConcurrency, envelopes.length) }, work));
  return joinReplies(replies.filter((reply) => reply !== undefined));
}

/** Serves one message, answered in parts; undefined for a notification. Never rejects: a failure is an error reply. */
export async function answerEnvelope(envelope: Envelope, serve: ServeCall): Promise<Parts | undefined> {
  if (envelope.kind === 'invalid') return [errorReply(envelope.id, envelope.error)];
  const { call } = envelope;
  const reply = await answerCall(call, serve);
  return call.isNotification ? undefined : reply;
}

async function answerCall(call: Call, serve: ServeCall): Promise<Parts> {
  try {
    return replyParts(call, await serve(call));
  } catch (error) {
    return [errorReply(call.id, toServiceError(error))];
  }
}

function replyParts(call: Call, reply: RawReply): Parts {
  switch (reply.kind) {
    case 'parts':
      return reply.parts;
    case 'result':
      return [resultReply(call.id, reply.json)];
  }
}

function joinReplies(replies: readonly Parts[]): Parts {
  if (replies.length === 0) return [];
  const parts = replies.flatMap((reply, index) =>
    index === 0 ? trimEnd(reply) : [SEPARATOR, ...trimEnd(reply)],
  );
  return [Buffer.from('['), ...parts, Buffer.from(']\n')];
}

function trimEnd(reply: Parts): Parts {
  const last = reply.findLastIndex((part) => part.some((byte) => byte > 0x20));
  const part = reply[last];
  return part === undefined ? [] : [...reply.slice(0, last), trimPart(part)];
}

function trimPart(part: Buffer): Buffer {
  let end = part.length;
  while (end > 0 && (part[end - 1] ?? 0) <= 0x20) end--;
  return part.subarray(0, end);
}
