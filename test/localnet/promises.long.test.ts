import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, type TransactionInstruction, Transaction } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { type Ask, type LedgerProcess, startLedgerProcess } from './disk/ledger-process.ts';
import { type Chain, expectPromises, supplyOf } from './ledger-promises.ts';
import { memo, SOL, transfer } from './transactions.ts';

// Longer with KEYSLOT_LEDGER_RUNS=100.
const RUNS = Number(process.env.KEYSLOT_LEDGER_RUNS ?? 2);
const PACE = ['--slot-ms', '50', '--no-votes'];
const FLAGS = [...PACE, '--slots-per-epoch', '32', '--faucet-sol', '1000', '--consensus'];
const WALLETS = 3;
const wallet = fc.nat(WALLETS - 1);
const name = fc.constantFrom('a', 'b');
/** More than anyone has now and then, so that transactions fail too. */
const lamports = fc.oneof(fc.bigInt({ min: 0n, max: 2n * SOL }), fc.constant(1_000n * SOL));
const send = fc.oneof(
  fc.record({ kind: fc.constant('airdrop' as const), to: wallet }),
  fc.record({ kind: fc.constant('transfer' as const), from: wallet, to: wallet, lamports }),
  fc.record({ kind: fc.constant('memo' as const), from: wallet }),
);
const burst = fc.record({
  kind: fc.constant('burst' as const),
  sent: fc.array(send, { minLength: 1, maxLength: 12 }),
});
const onDisk = fc.oneof(
  { weight: 3, arbitrary: burst },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'kill' as const }, { kind: 'stop' as const }) },
);
const inMemory = fc.oneof(
  { weight: 3, arbitrary: burst },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('warp' as const), slots: fc.integer({ min: 1, max: 300 }) }),
  },
);
type Send = typeof send extends fc.Arbitrary<infer T> ? T : never;
const property = { numRuns: RUNS, endOnFailure: true };

const newWallets = (): readonly Keypair[] => Array.from({ length: WALLETS }, () => Keypair.generate());
const addressesOf = (wallets: readonly Keypair[]): readonly string[] =>
  wallets.map(({ publicKey }) => publicKey.toBase58());

test.each(['alpenglow', 'tower'])(
  'under %s, whatever is sent, and whenever the process is killed or stopped, its chain keeps what it promises',
  {
    timeout: 60_000 * Math.max(1, RUNS),
  },
  async (consensus) => {
    await fc.assert(
      fc.asyncProperty(fc.array(onDisk, { minLength: 3, maxLength: 5 }), async (steps) => {
        const folder = join(mkdtempSync(join(tmpdir(), 'keyslot-test-')), 'ledger');
        const wallets = newWallets();
        let run = await startLedgerProcess(...FLAGS, consensus, '--ledger', folder);
        const total = await supplyOf(run.ask);
        let before: Chain = { slots: [], transactions: [], rewards: [] };
        try {
          for (const each of [...steps, { kind: 'kill' as const }]) {
            if (each.kind === 'burst') {
              await sendAll(run.ask, wallets, each.sent);
              continue;
            }
            before = await expectPromises(run.ask, addressesOf(wallets), total);
            // Not all of these are confirmed when it dies.
            await sendAll(run.ask, wallets, [
              { kind: 'airdrop', to: 0 },
              { kind: 'memo', from: 0 },
            ]);
            await (each.kind === 'kill' ? run.kill() : run.node.stop());
            run = await startLedgerProcess(...PACE, '--ledger', folder);
            const after = await expectPromises(run.ask, addressesOf(wallets), total);
            expect(after.transactions.slice(0, before.transactions.length)).toEqual(before.transactions);
            expect(after.rewards.slice(0, before.rewards.length)).toEqual(before.rewards);
          }
        } finally {
          await run.kill();
          rmSync(join(folder, '..'), { recursive: true });
        }
      }),
      property,
    );
  },
);

test.each(['alpenglow', 'tower'])(
  'under %s, whatever is sent, branched and restored, each branch keeps what it promises and answers as it did',
  {
    timeout: 60_000 * Math.max(1, RUNS),
  },
  async (consensus) => {
    const run = await startLedgerProcess(...FLAGS, consensus, '--cheat-codes');
    const total = await supplyOf(run.ask);
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(inMemory, { minLength: 5, maxLength: 10 }), async (steps) => {
          const wallets = newWallets();
          const states = new Map<string, readonly string[]>();
          await run.ask('localnet_snapshot', 'start');
          for (const each of steps) await act(run, { wallets, states }, each);
          await expectPromises(run.ask, addressesOf(wallets), total);
          await run.ask('localnet_restore', 'start');
        }),
        property,
      );
    } finally {
      await run.kill();
    }
  },
);

type Branches = { readonly wallets: readonly Keypair[]; readonly states: Map<string, readonly string[]> };

async function act(
  { ask }: LedgerProcess,
  { wallets, states }: Branches,
  each: typeof inMemory extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  switch (each.kind) {
    case 'burst':
      return await sendAll(ask, wallets, each.sent);
    case 'warp': {
      const slot = (await ask('getSlot', { commitment: 'processed' })) as number;
      await ask('localnet_warp', { slot: slot + each.slots });
      return;
    }
    case 'snapshot':
      await ask('localnet_pause');
      await ask('localnet_snapshot', each.name);
      states.set(each.name, await seen(ask, addressesOf(wallets)));
      await ask('localnet_resume');
      return;
    case 'restore': {
      const state = states.get(each.name);
      if (state === undefined) return;
      await ask('localnet_pause');
      await ask('localnet_restore', each.name);
      expect(await seen(ask, addressesOf(wallets))).toEqual(state);
      await ask('localnet_resume');
      return;
    }
    default:
      each satisfies never;
  }
}

/** Everything that a client can read at each commitment, as texts. */
async function seen(ask: Ask, addresses: readonly string[]): Promise<readonly string[]> {
  const texts: unknown[] = [];
  for (const commitment of ['processed', 'confirmed', 'finalized'] as const)
    texts.push(
      await ask('getSlot', { commitment }),
      await ask('getMultipleAccounts', addresses, { commitment, encoding: 'base64' }),
      await ask('getSupply', { commitment }),
      await ask('getTransactionCount', { commitment }),
      await ask('getLatestBlockhash', { commitment }),
    );
  for (const address of addresses) texts.push(await ask('getSignaturesForAddress', address));
  return texts.map((each) =>
    JSON.stringify(each, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
}

async function sendAll(ask: Ask, wallets: readonly Keypair[], sent: readonly Send[]): Promise<void> {
  const signatures = await Promise.all(sent.map((each) => sendOne(ask, wallets, each)));
  const last = signatures.at(-1);
  // A transaction without a fee payer never lands; the slot continues in any case.
  const until = (await ask('getSlot', { commitment: 'processed' })) as number;
  await eventually('a slot has passed', async () => {
    const { value } = (await ask('getSignatureStatuses', [last])) as { value: unknown[] };
    return (
      value[0] ?? (((await ask('getSlot', { commitment: 'confirmed' })) as number) > until ? true : undefined)
    );
  });
}

async function sendOne(ask: Ask, wallets: readonly Keypair[], each: Send): Promise<unknown> {
  const addresses = addressesOf(wallets);
  if (each.kind === 'airdrop') return await ask('requestAirdrop', addresses[each.to], Number(3n * SOL));
  const [from, to] = [wallets[each.from], wallets[each.kind === 'memo' ? each.from : each.to]];
  if (from === undefined || to === undefined) throw new Error('no such wallet');
  const made = each.kind === 'memo' ? memo(`${Math.random()}`) : transfer(from, to.publicKey, each.lamports);
  return await ask('sendTransaction', await signedBy(ask, from, made), {
    encoding: 'base64',
    skipPreflight: true,
  });
}

async function signedBy(ask: Ask, payer: Keypair, made: TransactionInstruction): Promise<string> {
  const { value } = (await ask('getLatestBlockhash', { commitment: 'confirmed' })) as {
    value: { blockhash: string };
  };
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: value.blockhash }).add(
    made,
  );
  transaction.sign(payer);
  return transaction.serialize().toString('base64');
}
