import { toServiceError } from '../../service-error.ts';
import type { Envelope, ServeCall } from './call.ts';
import { errorReply, resultReply } from './replies.ts';

type Parts = readonly Buffer[];
type Answer = Parts | undefined;

/** Whether the messages of a batch are served one after the other or all at once. */
export type BatchOrder = 'inTurn' | 'atOnce';

const [OPEN, SEPARATOR, CLOSE] = [Buffer.from('['), Buffer.from(','), Buffer.from(']\n')];

/**
 * Serves the messages of a batch and joins the replies in the order of the calls. A call
 * that fails is an error object in its place; notifications run and leave no place. The answer comes in parts, which are
 * not joined; there are none if nothing is to be answered (an empty batch, or notifications only). Never rejects.
 */
export async function answerBatch(
  envelopes: readonly Envelope[],
  serve: ServeCall,
  order: BatchOrder,
): Promise<Parts> {
  if (order === 'atOnce')
    return joinReplies(await Promise.all(envelopes.map((envelope) => answerEnvelope(envelope, serve))));
  const answers: Answer[] = [];
  for (const envelope of envelopes) answers.push(await answerEnvelope(envelope, serve));
  return joinReplies(answers);
}

/** Serves one message, answered in parts; undefined for a notification. Never rejects: a failure is an error reply. */
export async function answerEnvelope(envelope: Envelope, serve: ServeCall): Promise<Answer> {
  if (envelope.kind === 'invalid') return [errorReply(envelope.id, envelope.error)];
  const { call } = envelope;
  let parts: Parts;
  try {
    const reply = await serve(call);
    parts = reply.kind === 'parts' ? reply.parts : [resultReply(call.id, reply.json)];
  } catch (error) {
    parts = [errorReply(call.id, toServiceError(error))];
  }
  return call.isNotification ? undefined : parts;
}

function joinReplies(answers: readonly Answer[]): Parts {
  const joined: Buffer[] = [];
  for (const parts of answers) {
    if (parts === undefined) continue;
    joined.push(joined.length === 0 ? OPEN : SEPARATOR);
    for (const part of trimEnd(parts)) joined.push(part);
  }
  if (joined.length > 0) joined.push(CLOSE);
  return joined;
}

function trimEnd(parts: Parts): Parts {
  if ((parts.at(-1)?.at(-1) ?? 0) > 0x20) return parts;
  const last = parts.findLastIndex((part) => part.some((byte) => byte > 0x20));
  const part = parts[last];
  return part === undefined ? [] : [...parts.slice(0, last), trimPart(part)];
}

function trimPart(part: Buffer): Buffer {
  let end = part.length;
  while (end > 0 && (part[end - 1] ?? 0) <= 0x20) end--;
  return part.subarray(0, end);
}
