import type { KeyChunk, KeyChunks } from '../../keys/pool.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Passes on client wallets that were charged for before. Once the reader has received one, they are not made another time. The bytes are
 * dropped when the reader asks for the next chunk, or leaves.
 */
export async function* replacementStream(
  { claim, signal, keys }: WalletContext,
  chunks: AsyncIterable<KeyChunk>,
): KeyChunks {
  let isDelivered = false;
  try {
    for await (const chunk of chunks) {
      try {
        signal.throwIfAborted();
        isDelivered ||= chunk.count > 0;
        yield chunk;
      } finally {
        keys.drop(chunk);
      }
    }
  } finally {
    try {
      if (!isDelivered) await claim.release();
    } finally {
      claim.end();
    }
  }
}
