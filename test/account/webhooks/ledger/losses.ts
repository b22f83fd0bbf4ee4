import { expect, onTestFinished } from 'vitest';
import type {
  LedgerBalanceData,
  LedgerGapData,
  LedgerTransactionData,
} from '../../../../generated/account/types.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type CutProxy, startCutProxy } from '../../../lab/faults/cut-proxy.ts';
import { startLocalnet } from '../../../support/keyslot.ts';
import { ACCOUNT } from '../../../wallets/open-wallet-server.ts';
import { startWalletServer } from '../../../wallets/wallet-server.ts';
import { startReceiver, verified } from '../receiver.ts';
import { callLedger } from './call-ledger.ts';

const ADDRESS = `${'1'.repeat(31)}2`;
const AIRDROPS = 5;
/** One loss in this number takes the server too. */
const KILL_EVERY = 10;
const FIRST_LAMPORTS = 1_000_000;

type LedgerData = LedgerTransactionData | LedgerBalanceData | LedgerGapData;
type Told = { readonly type: string; readonly data: LedgerData };
type Signed = { readonly signature: string; readonly slot: number };

/**
 * Loses the node again and again while an address is paid, at times the server as well, and compares what a webhook received with the
 * record of the ledger itself: every transaction is sent at least once, or is in the slots of a gap that was stated.
 */
export async function loseNode(losses: number): Promise<void> {
  const localnet = await startLocalnet({ args: ['--slot-ms', '40'] });
  onTestFinished(localnet.stop);
  const toNode = await startCutProxy(Number(new URL(localnet.rpcUrl).port));
  onTestFinished(toNode.close);
  const server = await startWalletServer({
    env: {
      KEYSLOT_UPSTREAM_URL: `http://127.0.0.1:${toNode.port}`,
      KEYSLOT_STREAM_POLL_MS: '20',
      KEYSLOT_WEBHOOKS_ALLOWED_TARGETS: '127.0.0.0/8',
    },
  });
  const receiver = await startReceiver();
  const { secret } = await server.ask<{ readonly secret: string }>([
    ...['webhooks', 'create', ACCOUNT, '--name', 'a ledger', '--url', receiver.url],
    ...['--event', 'ledger.*', '--address', ADDRESS],
  ]);
  const told = (): readonly Told[] => {
    const byId = new Map(receiver.received.map((one) => [one.id, one]));
    return [...byId.values()].map((one) => verified(one, secret) as unknown as Told);
  };

  for (let loss = 0; loss < losses; loss++) {
    const seen = receiver.received.length;
    const pays = Array.from({ length: AIRDROPS }, (_, index) => FIRST_LAMPORTS + AIRDROPS * loss + index);
    await Promise.all(
      pays.map((lamports) => callLedger(localnet.rpcUrl, 'requestAirdrop', ADDRESS, lamports)),
    );
    await lose(toNode, localnet.rpcUrl, loss);
    if (loss % KILL_EVERY === KILL_EVERY - 1) {
      await server.kill();
      await server.start();
    }
    await eventually('events continue', () => receiver.received.length > seen || undefined);
  }

  const record = await eventually('all payments are confirmed', async () => {
    const found = await recordOf(localnet.rpcUrl);
    return found.length === losses * AIRDROPS ? found : undefined;
  });
  await eventually(
    'every transaction is received',
    () => missingOf(record, told()).length === 0 || undefined,
    { intervalMs: 500 },
  );
  // Nothing was older than the node or the server goes back, so there is nothing to state either.
  expect(told().filter(({ type }) => type === 'ledger.gap')).toEqual([]);
  await eventually('every position has come', () => {
    const positions = told().map(({ data }) => data.position);
    return Math.max(...positions) === positions.length || undefined;
  });
  expectOneChain(told());
}

/** Cuts the connections to the node; every second time it cannot be reached for some slots, too. */
async function lose(toNode: CutProxy, rpcUrl: string, loss: number): Promise<void> {
  toNode.isDown = loss % 2 === 0;
  toNode.cut();
  if (!toNode.isDown) return;
  const slot = await callLedger<number>(rpcUrl, 'getSlot');
  await eventually(
    'slots go by',
    async () => (await callLedger<number>(rpcUrl, 'getSlot')) > slot + 2 || undefined,
    {
      intervalMs: 10,
    },
  );
  toNode.isDown = false;
}

/** Every transaction of the address, as the ledger has it. */
async function recordOf(rpcUrl: string): Promise<readonly Signed[]> {
  const all: Signed[] = [];
  for (;;) {
    const before = all.at(-1)?.signature;
    const page = await callLedger<readonly Signed[]>(rpcUrl, 'getSignaturesForAddress', ADDRESS, {
      commitment: 'confirmed',
      limit: 1_000,
      ...(before !== undefined && { before }),
    });
    all.push(...page);
    if (page.length < 1_000) return all;
  }
}

/** The signatures that were neither delivered nor in a stated gap. */
function missingOf(record: readonly Signed[], told: readonly Told[]): readonly Signed[] {
  const signatures = new Set(told.map(({ data }) => ('fee' in data ? data.signature : '')));
  const gaps = told.flatMap(({ data }) => ('reason' in data ? [data] : []));
  const isStated = (slot: number): boolean =>
    gaps.some(({ from_slot: from = 0, to_slot: to = Infinity }) => slot >= from && slot <= to);
  return record.filter(({ signature, slot }) => !signatures.has(signature) && !isStated(slot));
}

/** By position, each balance begins where the one before it ended. */
function expectOneChain(told: readonly Told[]): void {
  const balances = told
    .flatMap(({ data }) => ('lamports_before' in data ? [data] : []))
    .toSorted((a, b) => a.position - b.position);
  expect(balances.length).toBeGreaterThan(0);
  expect(balances.slice(1).map((each) => each.lamports_before)).toEqual(
    balances.slice(0, -1).map((each) => each.lamports_after),
  );
}
