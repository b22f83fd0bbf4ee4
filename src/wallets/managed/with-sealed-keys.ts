import type { WalletContext } from '../wallet-context.ts';

/**
 * Does what `work` does. While it lasts no master key is forgotten: a sealed key that it makes or reads opens until then. No work waits
 * for a client, who would hold up the change of the master key as long as it likes.
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
