import { serviceError } from '../../base/service-error.ts';
import type { WalletContext } from '../wallet-context.ts';

/** @throws ServiceError `managedBatchTooLarge` if more wallets are requested in one call than the operator allows. */
export function assertBatchSize({ signer }: WalletContext, value: number): void {
  const { maxManagedBatch: limit = Infinity } = signer.capabilities();
  if (value > limit) throw serviceError('managedBatchTooLarge', { limit, value });
}
