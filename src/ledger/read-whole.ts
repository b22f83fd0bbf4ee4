import { serviceError } from '../service-error.ts';
import type { UpstreamReply } from '../upstream/upstream.ts';

/** Bytes that may be held in memory, shared by those who draw on it. Drawing too much throws `replyTooLarge`. */
export type Budget = { readonly draw: (sizeBytes: number) => void };

/** A budget of `limit` bytes. What is refused is not drawn. */
export function createBudget(limit: number): Budget {
  let left = limit;
  return {
    draw: (sizeBytes) => {
      if (sizeBytes > left) throw serviceError('replyTooLarge', { limit });
      left -= sizeBytes;
    },
  };
}

/**
 * The whole body of a reply.
 *
 * @throws ServiceError `replyTooLarge` beyond the budget (the rest is not read), or what broke the stream.
 */
export async function readWhole(reply: UpstreamReply, budget: Budget): Promise<Buffer> {
  if (reply.kind === 'whole') {
    budget.draw(reply.body.length);
    return reply.body;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    budget.draw(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
