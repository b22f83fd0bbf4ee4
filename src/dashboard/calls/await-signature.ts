import type { TransactionError } from '../../../generated/ledger/types.ts';
import { withSubscriptions } from './keep-subscribed.ts';

const DEADLINE_MS = 60_000;

/**
 * Waits until a transaction is confirmed, over a WebSocket.
 * @returns null, or the error of the transaction. Throws CallError if the connection fails or `leaving` aborts, and Error if the
 *   transaction is not confirmed within a minute: it may still be confirmed later.
 */
export async function awaitSignature(
  rpcPath: string,
  signature: string,
  leaving: AbortSignal,
): Promise<TransactionError | null> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await withSubscriptions(rpcPath, AbortSignal.any([deadline, leaving]), async (client) => {
      const notices = await client.signatureSubscribe(signature, { commitment: 'confirmed' });
      for await (const { value } of notices) if (value !== 'receivedSignature') return value.err;
      throw new Error('The connection was closed before the transaction was confirmed.');
    });
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new Error('The transaction was not confirmed within a minute. It may still be confirmed later.', {
      cause: error,
    });
  }
}
