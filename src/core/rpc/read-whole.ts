import type { UpstreamReply } from './upstream-reply.ts';
import type { MemoryLease } from './reply-memory.ts';

/** Reads the whole body of a reply into one buffer. Throws like `readParts`. */
export async function readWhole(reply: UpstreamReply, hold: MemoryLease): Promise<Buffer> {
  return reply.kind === 'whole' ? holdWhole(reply, hold) : Buffer.concat(await readParts(reply, hold));
}

/**
 * Reads the whole body of a reply and reserves its memory on the request's hold, unless that is already done; at once where the
 * size is known.
 *
 * @throws ServiceError `replyTooLarge` or `replyMemoryFull` (the rest is not read), or the error that broke the stream.
 */
export async function readParts(reply: UpstreamReply, hold: MemoryLease): Promise<readonly Buffer[]> {
  if (reply.kind === 'whole') return [holdWhole(reply, hold)];
  try {
    return await readStream(reply, hold);
  } finally {
    reply.body.destroy();
  }
}

/** Returns the body of a whole reply with its memory reserved the same way. Throws like `readParts`. */
export function holdWhole({ body, isHeld }: Whole, hold: MemoryLease): Buffer {
  if (isHeld !== true) hold.reserve(body.length);
  return body;
}

type Whole = Extract<UpstreamReply, { readonly kind: 'whole' }>;
type Stream = Extract<UpstreamReply, { readonly kind: 'stream' }>;

async function readStream(reply: Stream, hold: MemoryLease): Promise<readonly Buffer[]> {
  const { body, sizeBytes = 0, isHeld = false } = reply;
  body.on('error', () => undefined);
  if (!isHeld) hold.reserve(sizeBytes);
  const chunks: Buffer[] = [];
  let readBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    readBytes += chunk.length;
    hold.reserve(Math.max(0, Math.min(chunk.length, readBytes - sizeBytes)));
    chunks.push(chunk);
  }
  return chunks;
}
