import type { AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { PLANS } from '../../../../generated/plans.ts';
import { createToken } from '../../../support/wallet-account.ts';
import type { InstallationKey } from '../../../../src/account/sealing/installation-key.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { webhooks } from '../../../../src/store/webhook-tables.ts';
import { deleteWebhook } from '../../../../src/account/webhooks/delete-webhook.ts';
import { sendTest } from '../../../../src/account/webhooks/deliveries.ts';
import { noteAct } from '../../../../src/account/webhooks/limited-acts.ts';
import {
  changeWebhook,
  createWebhook,
  MAX_WEBHOOKS,
  readWebhooks,
} from '../../../../src/account/webhooks/webhooks.ts';

/** Nothing is sent to the address: it has none. */
const CHOICE = { name: 'a contract run', url: 'https://keyslot.invalid/', events: [], isOrdered: false };
/** Webhooks of an account while a run continues: cases make some too. */
const MOST = 12;

type Parts = {
  readonly store: Store;
  readonly installationKey: InstallationKey;
  readonly accountIdOf: (name: string) => Promise<string>;
  readonly dataDir: string;
  /** The account of the run, and another one. */
  readonly names: { readonly own: string; readonly other: string };
};

/** Makes webhooks of the account of a run, of another one, and as many of a third one as it may have, without asking the server. */
export async function provisionWebhooks({ store, installationKey, accountIdOf, dataDir, names }: Parts) {
  const deps = { store, installationKey, record: () => Promise.resolve() };
  const make = async (accountId: string) => {
    const { webhook } = await createWebhook(deps, accountId, CHOICE, Date.now());
    return { accountId, id: webhook.id };
  };
  const [own, other] = [await accountIdOf(names.own), await accountIdOf(names.other)];
  const stopped = await make(own);
  const stoppedDelivery = await sendTest(deps, stopped, Date.now());
  await changeWebhook(deps, stopped, { isActive: false }, Date.now());
  const replaying = await make(own);
  await changeWebhook(deps, replaying, { isActive: false }, Date.now());
  await store.db.update(webhooks).set({ position: 1, replayUntil: 2 }).where(eq(webhooks.id, replaying.id));
  const replayed = await make(own);
  for (let made = 0; made < PLANS.webhook_replay_limit.of_webhook; made++)
    await store.transaction((tx) => noteAct(tx, replayed, 'replay', Date.now()));
  const foreign = await make(other);
  const full = await createToken(dataDir, 'hooked');
  const fullId = await accountIdOf('hooked');
  for (let made = 0; made < MAX_WEBHOOKS; made++) await make(fullId);
  const lasting = [stopped.id, replaying.id, replayed.id];
  const fresh = async () => {
    const all = await readWebhooks(store, own);
    const removed = all.length < MOST ? [] : all.filter(({ id }) => !lasting.includes(id));
    for (const { id } of removed) await deleteWebhook(deps, { accountId: own, id }, Date.now());
    return make(own);
  };
  const known: Partial<Record<AccountValueName, string>> = {
    token_at_webhooks: full.token,
    stopped_webhook_id: stopped.id,
    stopped_delivery_id: stoppedDelivery.id,
    replaying_webhook_id: replaying.id,
    replayed_webhook_id: replayed.id,
    other_webhook_id: foreign.id,
    other_delivery_id: (await sendTest(deps, foreign, Date.now())).id,
  };
  return {
    known,
    fresh: async () => (await fresh()).id,
    freshDelivery: async () => (await sendTest(deps, await fresh(), Date.now())).id,
  };
}
