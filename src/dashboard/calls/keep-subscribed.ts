import type { LedgerSubscriptions } from '../../../generated/ledger/subscriptions-client.ts';
import { credentials } from './credentials.ts';
import { SERVER_ADDRESS } from './places.ts';

const PAUSE_MS = 5_000;

/** The callback for a lost connection, and the signal that ends the subscription. */
export type Subscriber = {
  readonly onLost: (error: unknown) => void;
  readonly signal: AbortSignal;
};

/** Opens a WebSocket to a network of this server, lets `use` subscribe, and closes it when `use` has ended. */
export async function withSubscriptions<T>(
  rpcPath: string,
  signal: AbortSignal,
  use: (client: LedgerSubscriptions) => Promise<T>,
): Promise<T> {
  const { createLedgerSubscriptions } = await import('../../../generated/ledger/subscriptions-client.ts');
  const { api_key } = await credentials.read();
  const client = createLedgerSubscriptions({ url: `${SERVER_ADDRESS}${rpcPath}`, apiKey: api_key, signal });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/**
 * Lets `use` subscribe until `signal` aborts. A connection that ends, for example because its key has expired, is reopened with new
 * credentials; `onLost` is called in between.
 */
export async function keepSubscribed(
  rpcPath: string,
  { onLost, signal }: Subscriber,
  use: (client: LedgerSubscriptions) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await withSubscriptions(rpcPath, signal, use);
    } catch (error) {
      if (signal.aborted) return;
      onLost(error);
    }
    credentials.forget();
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
