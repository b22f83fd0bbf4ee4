import type { ClientCounts } from '../scenarios.ts';
import type { EventReceiver } from '../receiver/event-receiver.ts';
import type { Accounts } from '../gateways/open-accounts.ts';
import { runBatchClient } from './batch-client.ts';
import type { ClientDeps } from './client-deps.ts';
import { runHttpClient } from './http-client.ts';
import { runKeyClient } from './key-client.ts';
import { runStreamClient } from './stream-client.ts';
import { runSocketClient } from './socket-client.ts';
import { runUserClient } from './user-client.ts';
import { runTreeClient } from './wallets/tree-client.ts';
import { runWalletClient } from './wallets/wallet-client.ts';
import { servingGateway } from '../gateways/lab-gateway.ts';
import { type LabWebhook, retryOldest } from '../receiver/lab-webhook.ts';

export type ClientsOptions = {
  readonly clients: Partial<ClientCounts>;
  readonly accounts: Accounts;
  readonly receiver: EventReceiver;
  /** Sockets that are silent for this long are given up by the gateway: `upstream.ws_silence_ms`. */
  readonly silenceMs: number;
  /** Aborted when nobody asks again any more. */
  readonly settled: AbortSignal;
  /** The time of day in milliseconds. */
  readonly nowMs: () => number;
};

/** Runs all clients of a scenario. Resolves when all have left and what they began is answered. @throws Error of the first that fails. */
export async function startClients(deps: ClientDeps, options: ClientsOptions): Promise<void> {
  const { clients, accounts, receiver, silenceMs, settled, nowMs } = options;
  const { gateways } = deps;
  const many = (count = 0, start: (at: number) => Promise<void>) =>
    Array.from({ length: count }, (_, at) => start(at));
  const asking = { ...deps, settled, nowMs };
  await Promise.all([
    ...many(clients.http, (at) => runHttpClient(deps, `http-${at + 1}`)),
    ...many(clients.batches, (at) => runBatchClient(deps, `batches-${at + 1}`)),
    ...many(clients.websocket, (at) => runSocketClient({ ...deps, silenceMs }, `websocket-${at + 1}`)),
    ...many(clients.grpc, async (at) => {
      const gateway = gateways[at % gateways.length];
      if (gateway !== undefined) await runStreamClient(deps, gateway, `grpc-${at + 1}`);
    }),
    ...many(clients.users, (at) => runUserClient(deps, `user-${at + 1}`)),
    ...accounts.wallets.map((book) => runWalletClient(asking, book)),
    ...accounts.trees.map((book) => runTreeClient(asking, book)),
    ...accounts.keys.map((book) => runKeyClient(asking, book)),
    ...accounts.webhooks.map((webhook) => runWebhookClient(deps, receiver, webhook)),
  ]);
}

/** The account service takes 600 requests of an account in a minute, and other clients of the account need most of them. */
const BETWEEN_MS = 5_000;

/** Asks for waiting events to be sent again, from time to time while the receiver works, so that webhooks continue between its faults. */
async function runWebhookClient(
  { gateways, random, over, pause }: ClientDeps,
  receiver: EventReceiver,
  webhook: LabWebhook,
): Promise<void> {
  while (!over.aborted) {
    await pause(BETWEEN_MS);
    const gateway = servingGateway(gateways, random(gateways.length));
    if (gateway !== undefined && receiver.isSound) await retryOldest(gateway, webhook);
  }
}
