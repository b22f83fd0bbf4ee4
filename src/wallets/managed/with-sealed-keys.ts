import type { WalletContext } from '../wallet-context.ts';

/**
 * Runs `work`. Meanwhile no master key is dropped: sealed keys that it makes or reads can be opened until it ends. The work must not wait
 * for a client, which could delay a change of the master key as long as it likes.
 */
export async function withSealedKeys<T>(
  { sealedWork }: Pick<WalletContext, 'sealedWork'>,
  work: () => Promise<T>,
): Promise<T> {
  const end = sealedWork.begin();
  try {
    return await work();
  } finally {
    end();
  }
}
