import { Keypair } from '@solana/web3.js';
import { onTestFinished, expect, test } from 'vitest';
import { Ledger } from '../../../src/localnet/ledger.ts';
import { startRpcServer, startSlotTimer } from '../../../src/localnet/serve-ledger.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { airdropTransaction } from '../../../src/localnet/transaction/airdrop.ts';
import { LedgerSocket } from './ledger-socket.ts';

const SLOT_MS = 20;
const CLIENTS = 12;
const ADDRESSES = 4;
const AIRDROPS_PER_SLOT = 6;
const SLOTS_AFTER = 5;
const LEVELS = ['processed', 'confirmed', 'finalized'] as const;
type Level = (typeof LEVELS)[number];

type Watched = {
  readonly client: LedgerSocket;
  readonly kind: 'logs' | 'account';
  readonly level: Level;
  readonly address: string;
  readonly id: number;
  /** The slot that was open when the reply had come: all that landed later is to be told. */
  readonly since: bigint;
};

test('slots that run, clients that come and go: clients that stay receive everything, in order, once', async () => {
  const ledger = new Ledger({ nowMs: Date.now, slotMs: SLOT_MS });
  const server = await startRpcServer(ledger, { host: '127.0.0.1', port: 0 });
  const stopTimer = startSlotTimer(ledger, (error) => {
    throw error;
  });
  onTestFinished(async () => {
    stopTimer();
    await server.close(1_000);
  });
  const addresses = Array.from({ length: ADDRESSES }, () => Keypair.generate().publicKey.toBase58());
  const subscribed = Promise.withResolvers<void>();
  const airdrops = sendAirdrops(ledger, addresses, subscribed.promise);
  const watched: Watched[] = [];
  for (let index = 0; index < CLIENTS; index++) {
    const client = await LedgerSocket.open(`ws://127.0.0.1:${server.port}`);
    const passing = await LedgerSocket.open(`ws://127.0.0.1:${server.port}`);
    for (const address of addresses) {
      await passing.subscribe('logsSubscribe', { mentions: [address] }, { commitment: 'confirmed' });
      watched.push(...(await watchAll(ledger, client, address)));
    }
    passing.socket.terminate();
  }
  subscribed.resolve();
  await airdrops;
  const end = ledger.blocks.openSlot;
  await eventually('all is finalized', () => (ledger.slotAt('finalized') > end ? true : undefined));
  for (const each of watched) assertRecord(ledger, each, await each.client.notificationsOf(each.id), end);
  for (const client of new Set(watched.map((each) => each.client))) await client.close();
});

/** Some in every slot, while clients come and go and a little longer. */
async function sendAirdrops(
  ledger: Ledger,
  addresses: readonly string[],
  done: Promise<void>,
): Promise<void> {
  let slotsLeft = Number.POSITIVE_INFINITY;
  void done.then(() => {
    slotsLeft = SLOTS_AFTER;
  });
  const { blocks } = ledger;
  for (let sent = 0; slotsLeft > 0; slotsLeft--) {
    await nextSlot(ledger);
    const blockhash = blocks.blockhash(blocks.openSlot - 1n);
    for (let each = 0; each < AIRDROPS_PER_SLOT; each++, sent++) {
      const to = addresses[sent % ADDRESSES] ?? '';
      ledger.send(airdropTransaction(ledger, { to, lamports: 1_000_000n + BigInt(sent), blockhash }));
    }
  }
}

function nextSlot(ledger: Ledger): Promise<void> {
  return new Promise((resolve) => {
    const unfollow = ledger.follow({
      landed: () => undefined,
      advanced: () => {
        unfollow();
        resolve();
      },
    });
  });
}

async function watchAll(ledger: Ledger, client: LedgerSocket, address: string): Promise<readonly Watched[]> {
  const watched: Watched[] = [];
  for (const level of LEVELS) {
    const config = { commitment: level, encoding: 'base64' };
    const logs = await client.subscribe('logsSubscribe', { mentions: [address] }, config);
    watched.push({ client, kind: 'logs', level, address, id: logs, since: ledger.blocks.openSlot });
    const account = await client.subscribe('accountSubscribe', address, config);
    watched.push({ client, kind: 'account', level, address, id: account, since: ledger.blocks.openSlot });
  }
  return watched;
}

type Result = {
  readonly context: { readonly slot: number };
  readonly value: { readonly signature?: string; readonly lamports?: number };
};

/** Asserts that the notifications are the end of all that the ledger has, and begin no later than the subscription. */
function assertRecord(ledger: Ledger, each: Watched, told: readonly unknown[], end: bigint): void {
  const all =
    each.kind === 'logs' ? logsOf(ledger, each.address, end) : balancesOf(ledger, each.address, end);
  const heard = (told as readonly Result[]).map(
    ({ context: { slot }, value }) => `${slot} ${value.signature ?? value.lamports}`,
  );
  expect(heard).toEqual(all.slice(-heard.length));
  const due = all.filter((entry) => BigInt(entry.split(' ')[0] ?? '') > each.since);
  expect(due.length).toBeGreaterThan(0);
  expect(heard.length).toBeGreaterThanOrEqual(due.length);
}

function logsOf({ blocks }: Ledger, address: string, end: bigint): readonly string[] {
  return blocks.index
    .ofAddress(address)
    .filter(({ slot }) => slot <= end)
    .map(({ slot, transaction }) => `${slot} ${transaction.signatures[0]}`);
}

/** Of each slot the last balance that a transaction left. */
function balancesOf({ blocks }: Ledger, address: string, end: bigint): readonly string[] {
  const balances = new Map<bigint, bigint>();
  for (const { slot, transaction, meta } of blocks.index.ofAddress(address))
    if (slot <= end)
      balances.set(slot, meta.postBalances[transaction.message.staticKeys.indexOf(address)] ?? 0n);
  return [...balances].map(([slot, lamports]) => `${slot} ${lamports}`);
}
