import { Keypair, SystemProgram } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { landed, price, SOL, sendNow, signed, transfer } from './transactions.ts';
import { rounds } from '../support/tier.ts';

const RENT = 650_240n;
const WALLETS = 4;
const wallet = fc.nat(WALLETS - 1);
const lamports = fc.oneof(
  fc.constantFrom(0n, 1n, RENT - 1n, RENT, RENT + 5_000n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 5n * SOL }),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant('transfer' as const), from: wallet, to: wallet, lamports }),
  fc.record({ kind: fc.constant('drain' as const), from: wallet, to: wallet }),
  fc.record({ kind: fc.constant('airdrop' as const), to: wallet, lamports }),
  fc.record({ kind: fc.constant('open' as const), from: wallet, space: fc.nat(200) }),
  fc.record({
    kind: fc.constant('price' as const),
    from: wallet,
    price: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  }),
  fc.record({ kind: fc.constant('tick' as const), slots: fc.integer({ min: 1, max: 20 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('whatever is sent: lamports and burned fees add up, and what was read at processed is what is finalized', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), conserves), { numRuns: rounds(25) });
});

test('what is sent to the incinerator leaves the supply when the slot closes', async () => {
  const run = newLedger();
  const incinerator = '1nc1nerator11111111111111111111111111111111';
  const supply = async () => (await run.call('getSupply', { commitment: 'processed' })).value.total;
  const before = await supply();
  await run.call('requestAirdrop', incinerator, SOL);
  expect(await supply()).toBe(before - 5_000n);
  run.tick();
  expect(await supply()).toBe(before - 5_000n - SOL);
  expect((await run.call('getAccountInfo', incinerator, { commitment: 'confirmed' })).value).toBeNull();
  await run.call('requestAirdrop', incinerator, SOL);
  expect((await run.call('getBalance', incinerator, { commitment: 'processed' })).value).toBe(SOL);
});

async function conserves(steps: readonly Step[]): Promise<void> {
  const run = newLedger();
  const wallets = Array.from({ length: WALLETS }, () => Keypair.generate());
  const total = (await run.call('getSupply')).value.total;
  for (const each of [{ kind: 'airdrop', to: 0, lamports: 3n * SOL } as const, ...steps])
    await act(run, wallets, each);
  const seen = await observe(run, wallets, 'processed');
  expect(seen.supply + burnedFees(run)).toBe(total);
  run.tick(1);
  expect(await observe(run, wallets, 'confirmed')).toEqual(seen);
  for (const { publicKey: to } of wallets) await run.call('requestAirdrop', to.toBase58(), SOL);
  run.tick(31);
  expect(await observe(run, wallets, 'finalized')).toEqual(seen);
}

async function act(run: TestLedger, wallets: readonly Keypair[], each: Step): Promise<void> {
  if (each.kind === 'tick') return run.tick(each.slots);
  if (each.kind === 'airdrop') {
    await run.call('requestAirdrop', addressOf(wallets, each.to), each.lamports);
    return;
  }
  const from = wallets[each.from] ?? Keypair.generate();
  const fresh = Keypair.generate();
  const held =
    run.ledger.accounts.read(from.publicKey.toBase58(), run.ledger.blocks.openSlot)?.lamports ?? 0n;
  const to = wallets['to' in each ? each.to : each.from]?.publicKey ?? fresh.publicKey;
  const open = (space: number) =>
    SystemProgram.createAccount({
      fromPubkey: from.publicKey,
      newAccountPubkey: fresh.publicKey,
      lamports: Number(run.ledger.runtime.rentExemption(BigInt(space))),
      space,
      programId: SystemProgram.programId,
    });
  const texts = {
    transfer: () => signed(run, [from], transfer(from, to, 'lamports' in each ? each.lamports : 0n)),
    drain: () => signed(run, [from], transfer(from, to, held > 5_000n ? held - 5_000n : 0n)),
    open: () => signed(run, [from, fresh], open('space' in each ? each.space : 0)),
    price: () => signed(run, [from], price('price' in each ? each.price : 0n), transfer(from, to, 1n)),
  };
  const signature = await sendNow(run, texts[each.kind]());
  expect((await landed(run, signature))?.fee ?? 0n).toBeLessThanOrEqual(held);
}

function addressOf(wallets: readonly Keypair[], index: number): string {
  return (wallets[index] ?? Keypair.generate()).publicKey.toBase58();
}

function burnedFees({ ledger: { blocks } }: TestLedger): bigint {
  let fees = 0n;
  for (let slot = 0n; slot <= blocks.openSlot; slot++)
    for (const { meta } of blocks.transactions(slot)) fees += meta.fee;
  return fees;
}

async function observe(
  { ledger, call }: TestLedger,
  wallets: readonly Keypair[],
  commitment: 'processed' | 'confirmed' | 'finalized',
) {
  const { value: supply } = await call('getSupply', { commitment });
  const { value: largest } = await call('getLargestAccounts', { commitment });
  const slot = ledger.slotAt(commitment);
  const balances = [...ledger.accounts.all(slot)].map(({ account }) => account.lamports);
  expect(balances.reduce((sum, each) => sum + each, 0n)).toBe(supply.total);
  expect(balances.every((each) => each > 0n)).toBe(true);
  const sorted = balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, 20);
  expect(largest.map((each) => each.lamports)).toEqual(sorted);
  const addresses = wallets.map(({ publicKey }) => publicKey.toBase58());
  if (commitment === 'processed')
    for (const address of addresses)
      expect(ledger.runtime.read(address)).toEqual(ledger.accounts.read(address, slot));
  return {
    supply: supply.total,
    largest,
    wallets: (await call('getMultipleAccounts', addresses, { commitment })).value,
    count: await call('getTransactionCount', { commitment }),
    owned: await call('getProgramAccounts', SystemProgram.programId.toBase58(), {
      encoding: 'base64',
      commitment,
    }),
  };
}
