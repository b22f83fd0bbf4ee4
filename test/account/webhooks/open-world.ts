import { appendAuditInOwnTransaction } from '../../../src/account/audit/append-audit.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { deliverRound, type Stop } from '../../../src/account/webhooks/deliver-round.ts';
import { readDeliveries } from '../../../src/account/webhooks/deliveries.ts';
import { findWork, type WorkingWebhook } from '../../../src/account/webhooks/find-work.ts';
import type { Answer } from '../../../src/account/webhooks/post-event.ts';
import { stopWebhook } from '../../../src/account/webhooks/stop-webhook.ts';
import { createWebhook, readWebhook } from '../../../src/account/webhooks/webhooks.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { newInstallationKey } from '../test-installation-key.ts';

/** An answer that takes an event. */
export const TAKEN: Answer = { kind: 'answered', status: 200, text: 'thanks', retryAfterMs: undefined };
/** An answer that does not. */
export const REFUSED: Answer = { kind: 'answered', status: 500, text: 'no', retryAfterMs: undefined };
export type Sent = { readonly seq: number; readonly id: string; readonly walletId: string | undefined };

/** An account with a webhook, whose receiver answers what a test says. */
export async function openWorld(store: Store, isOrdered = false) {
  const accountId = await newCustomer(store);
  let nowMs = NOW_MS;
  const record = () => Promise.resolve();
  const deps = { store, installationKey: await newInstallationKey(), record };
  const choice = { name: 'a', url: 'https://hooks.example.com/', events: [], isOrdered };
  const { webhook } = await createWebhook(deps, accountId, choice, NOW_MS);
  const own = { accountId, id: webhook.id };
  const sent: Sent[] = [];
  const world = {
    accountId,
    own,
    deps,
    sent,
    answer: (_sent: Sent): Answer => TAKEN,
    /** Resolves before an answer comes. */
    hold: (_sent: Sent): Promise<unknown> => Promise.resolve(),
    signal: new AbortController().signal,
    cut: new AbortController().signal,
    now: () => nowMs,
    later: (ms: number): void => {
      nowMs += ms;
    },
    add: async (...walletIds: readonly (string | undefined)[]): Promise<void> => {
      const facts = walletIds.map((walletId) => ({
        action: 'sign',
        outcome: 'ok',
        requestId: 'req_a',
        walletId,
      }));
      await appendAuditInOwnTransaction(store, accountId, facts, nowMs);
    },
    webhook: () => readWebhook(store.db, own),
    working: async () => (await findWork(store, nowMs)).find(({ id }) => id === own.id),
    round: async (isProbe = false, found?: WorkingWebhook) => {
      const working = found ?? (await world.working());
      if (working === undefined) return undefined;
      return deliverRound({
        store,
        webhook: working,
        isProbe,
        stop: async (tx, stop: Stop) => {
          const stopping = { accountId, webhookId: own.id, stop, requestId: 'req_stop', nowMs };
          await stopWebhook(tx, stopping);
        },
        receiver: {
          url: new URL(working.url),
          secrets: [new Uint8Array(32)],
          userAgent: 'test',
          nowMs: () => nowMs,
          signal: world.signal,
          cut: world.cut,
          post: ({ body, headers }) => {
            const { data } = JSON.parse(body) as { data: { seq: number; wallet_id?: string } };
            const one = { seq: data.seq, id: headers['webhook-id'] ?? '', walletId: data.wallet_id };
            sent.push(one);
            const answer = world.answer(one);
            return world.hold(one).then(() => answer);
          },
        },
      });
    },
    /** Rounds until there is nothing to do now. */
    settle: async (): Promise<void> => {
      while ((await world.round())?.hasMore === true);
    },
    states: async () => {
      const rows = await readDeliveries(store, own.id, { state: undefined, after: undefined, limit: 1_000 });
      return Object.groupBy(rows, ({ state }) => state);
    },
  };
  return world;
}
