import type { JsonAnswer, StreamAnswer } from '../../../generated/wallets/handlers.ts';
import type { WalletContext } from '../wallet-context.ts';

type Places = Pick<WalletContext, 'sealedWork'>;
type Chunks = StreamAnswer['chunks'];

/**
 * Answers as `work` does. While it works, and while a stream that it gives is sent, no master key is forgotten: a sealed key that it
 * made or read opens until then.
 */
export function withSealedKeys<T>(places: Places, work: () => Promise<JsonAnswer<T>>): Promise<JsonAnswer<T>>;
export function withSealedKeys(places: Places, work: () => Promise<StreamAnswer>): Promise<StreamAnswer>;
export function withSealedKeys<T>(
  places: Places,
  work: () => Promise<JsonAnswer<T> | StreamAnswer>,
): Promise<JsonAnswer<T> | StreamAnswer>;
export async function withSealedKeys<T>(
  { sealedWork }: Places,
  work: () => Promise<JsonAnswer<T> | StreamAnswer>,
): Promise<JsonAnswer<T> | StreamAnswer> {
  const end = sealedWork.begin();
  try {
    const answer = await work();
    if (answer.kind === 'stream') return { ...answer, chunks: endingWith(answer.chunks, end) };
    end();
    return answer;
  } catch (error) {
    end();
    throw error;
  }
}

async function* endingWith(chunks: Chunks, end: () => void): Chunks {
  try {
    yield* chunks;
  } finally {
    end();
  }
}
