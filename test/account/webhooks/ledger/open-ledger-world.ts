import { onTestFinished } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { asc, eq } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { webhookDeliveries } from '../../../../src/store/webhook-tables.ts';
import type { Block, BlockTransaction } from '../../../../src/gateway/streams/block/block.ts';
import type { HubOptions } from '../../../../src/gateway/streams/hub.ts';
import { Lane } from '../../../../src/account/webhooks/ledger/lane.ts';
import type { LedgerCommitment } from '../../../../src/store/webhook-tables.ts';
import type { LedgerFilter } from '../../../../src/account/webhooks/ledger/ledger-filter.ts';
import { type LedgerSource, newestPlace } from '../../../../src/account/webhooks/ledger/ledger-source.ts';
import { changeWebhook, createWebhook, readWebhook } from '../../../../src/account/webhooks/webhooks.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { newInstallationKey } from '../../test-installation-key.ts';
import { address, signature } from '../../../gateway/streams/a-block.ts';
import { open } from '../../../gateway/streams/open-hub.ts';
import { createScriptedLedger } from '../../../gateway/streams/scripted-ledger.ts';

export const NETWORK = 'solana-scripted';
/** Paid in every block. */
export const PAYEE = address(7);

/** The transaction of a block that pays 10 lamports to `PAYEE`. */
export function payment(slot: bigint): BlockTransaction {
  const account = { isSigner: false, isWritable: true, tokenBalance: undefined };
  const balance = { lamportsBefore: slot * 10n, lamportsAfter: slot * 10n + 10n };
  return {
    index: 0,
    version: undefined,
    config: undefined,
    error: undefined,
    fee: 5_000n,
    computeUnits: undefined,
    logs: [],
    raw: Buffer.alloc(0),
    signature: signatureAt(slot),
    accounts: [{ address: PAYEE, ...account, ...balance }],
  };
}

/** The signature of the transaction of a block. */
export function signatureAt(slot: bigint | number): string {
  return signature(Number(slot) % 250);
}

export type WorldOptions = {
  readonly hub?: Partial<HubOptions>;
  readonly contentOf?: (slot: bigint) => Partial<Pick<Block, 'transactions' | 'rewards'>>;
};

/** A ledger whose every block pays `PAYEE`, and webhooks that may hear of it. */
export async function openLedgerWorld(store: Store, options: WorldOptions = {}) {
  const { contentOf = (slot) => ({ transactions: () => [payment(slot)] }) } = options;
  const ledger = createScriptedLedger(100, contentOf);
  const hub = open(ledger, options.hub);
  const source: LedgerSource = { network: NETWORK, hub, node: ledger, pollMs: () => 1 };
  const accountId = await newCustomer(store);
  const deps = { store, installationKey: await newInstallationKey(), record: () => Promise.resolve() };
  const clock = { nowMs: () => NOW_MS };
  const stored = (id: string) =>
    store.db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, id))
      .orderBy(asc(webhookDeliveries.position));
  return {
    ledger,
    source,
    store,
    stored,
    accountId,
    /** Makes a webhook that gets what the filters say from now on. */
    make: async (filters: readonly LedgerFilter[], commitment: LedgerCommitment = 'confirmed') => {
      const start = ledger.isLost ? undefined : await newestPlace(source, commitment);
      const choice = { name: 'a', url: 'https://hooks.example.com/', events: ['ledger.*'], isOrdered: false };
      const chosen = { network: NETWORK, commitment, filters, start };
      const { webhook } = await createWebhook(deps, accountId, { ...choice, ledger: chosen }, NOW_MS);
      return webhook.id;
    },
    choose: async (id: string, filters: readonly LedgerFilter[]): Promise<void> => {
      const start = await newestPlace(source, 'confirmed');
      const ledgerChoice = { network: NETWORK, commitment: 'confirmed' as const, filters, start };
      await changeWebhook(deps, { accountId, id }, { ledger: ledgerChoice }, NOW_MS);
    },
    turn: (id: string, isActive: boolean) => changeWebhook(deps, { accountId, id }, { isActive }, NOW_MS),
    webhook: (id: string) => readWebhook(store.db, { accountId, id }),
    /** Starts to read for webhooks; it is stopped when the test ends. */
    start: (ids: readonly string[], { commitment = 'confirmed', placeMs = 0 } = {} as LaneChoice) => {
      const lane = new Lane({ store, source, commitment, clock, placeMs }, ids);
      const ended = lane.run();
      ended.catch(() => undefined);
      onTestFinished(async () => {
        lane.stop();
        await ended.catch(() => undefined);
      });
      const stop = async (): Promise<void> => {
        lane.stop();
        await ended;
      };
      return { lane, ended, stop };
    },
    /** Waits for a number of events of a webhook; returns their types and data. */
    events: async (id: string, count: number) => {
      const rows = await eventually(
        `${count} events`,
        async () => {
          const found = await stored(id);
          return found.length >= count ? found : undefined;
        },
        { intervalMs: 5 },
      );
      return rows.map(({ body }) => JSON.parse(body ?? '') as StoredEvent);
    },
  };
}

type LaneChoice = { readonly commitment?: LedgerCommitment; readonly placeMs?: number };

export type StoredEvent = {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly slot: number; readonly position: number };
};

/** The slots of events. */
export const slotsOf = (events: readonly StoredEvent[]): readonly number[] =>
  events.map(({ data }) => data.slot);
/** The data of the gaps among events. */
export const gapsOf = (events: readonly StoredEvent[]) =>
  events.filter(({ type }) => type === 'ledger.gap').map(({ data }) => data);
/** `count` numbers from `first` on. */
export const from = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);
