import { serviceError } from '../../service-error.ts';
import type { WalletContext } from '../wallet-context.ts';

/** @throws ServiceError `managedBatchTooLarge` where the key backend is too slow for so many keys in one call. */
export function assertBatchSize({ signer }: WalletContext, value: number): void {
  const { maxManagedBatch: limit = Infinity } = signer.capabilities();
  if (value > limit) throw serviceError('managedBatchTooLarge', { limit, value });
}
