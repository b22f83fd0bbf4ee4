import { credentials } from './credentials.ts';
import { SERVER_ADDRESS } from './places.ts';

const PAUSE_MS = 5_000;

/**
 * Calls `onSlot` with each slot that a network of this server processes, until `signal` aborts. A connection that ends, because
 * its key has expired for example, is opened again with new credentials; `onLost` is called in between.
 */
export async function watchSlots(rpcPath: string, { onSlot, onLost, signal }: SlotWatch): Promise<void> {
  const { createLedgerSubscriptions } = await import('../../../generated/ledger/subscriptions-client.ts');
  while (!signal.aborted) {
    try {
      const { api_key } = await credentials.read();
      const client = createLedgerSubscriptions({
        url: `${SERVER_ADDRESS}${rpcPath}`,
        apiKey: api_key,
        signal,
      });
      try {
        for await (const { slot } of await client.slotSubscribe()) onSlot(slot);
      } finally {
        client.close();
      }
    } catch (error) {
      if (signal.aborted) return;
      onLost(error);
    }
    credentials.forget();
    await pause(signal);
  }
}

/** Who is called about the slots of a network. */
export type SlotWatch = {
  readonly onSlot: (slot: bigint) => void;
  readonly onLost: (error: unknown) => void;
  readonly signal: AbortSignal;
};

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
