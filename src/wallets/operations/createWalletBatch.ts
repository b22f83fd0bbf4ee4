import type { BatchRequest } from '../create-requests.ts';
import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { createClientBatch } from '../client/create-client-batch.ts';
import { createManagedBatch } from '../managed/create-managed-batch.ts';
import type { WalletContext } from '../wallet-context.ts';

/** `POST /v1/wallets/batch` (interface.md section 4.4). */
export const createWalletBatch: WalletHandler<WalletContext, 'createWalletBatch'> = (
  context,
  { body, form },
) => {
  const wanted: BatchRequest = { ...body, format: form === 'csv' ? 'csv' : 'jsonl' };
  return body.custody === 'managed'
    ? createManagedBatch(context, wanted)
    : createClientBatch(context, wanted);
};
