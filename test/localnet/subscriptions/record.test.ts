import { base58 } from '@scure/base';
import { Keypair, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/core/rpc/json.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';
import { SOL, sendNow, signed, transfer } from '../transactions.ts';
import { recorder, type Subscribe, type Notified } from './recorder.ts';

const WALLETS = 3;
const LEVELS = ['processed', 'confirmed', 'finalized'] as const;
type Level = (typeof LEVELS)[number];

const wallet = fc.nat(WALLETS - 1);
const lamports = fc.oneof(
  fc.constantFrom(0n, 1n, 650_240n, 100n * SOL),
  fc.bigInt({ min: 0n, max: 2n * SOL }),
);
const level = fc.constantFrom(...LEVELS);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      from: wallet,
      to: wallet,
      lamports,
      level,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drain' as const), from: wallet, to: wallet, level }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('airdrop' as const), to: wallet, lamports }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('account' as const), of: wallet, level }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('logs' as const), of: wallet, level }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const), level, nth: fc.nat(20) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), slots: fc.integer({ min: 1, max: 12 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A subscription, when it began, and what it was told. */
type Watched = {
  readonly kind: 'account' | 'logs' | 'signature';
  readonly level: Level;
  readonly key: string;
  /** The slot that was open, and the transactions it had by then. */
  readonly since: bigint;
  readonly sinceIndex: number;
  readonly told: readonly Notified[];
};
type World = {
  readonly run: TestLedger;
  readonly wallets: readonly Keypair[];
  readonly subscribe: Subscribe;
  readonly watched: Watched[];
  readonly signatures: string[];
  /** The answers of getAccountInfo for a wallet at the end of each slot, by `slot address`. */
  readonly accounts: Map<string, unknown>;
};

test.each([
  [31, 20],
  [1, 10],
  [0, 10],
])(
  'whatever is sent and whenever one subscribes: what is told is what the ledger says at that level (finalized %i slots later)',
  async (finalitySlots, numRuns) => {
    const steps = fc.array(step, { minLength: 5, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, (each) => agrees(each, finalitySlots)),
      { numRuns },
    );
  },
  120_000,
);

async function agrees(steps: readonly Step[], finalitySlots: number): Promise<void> {
  const run = newLedger({ finalitySlots });
  const wallets = Array.from({ length: WALLETS }, () => Keypair.generate());
  const world: World = {
    run,
    wallets,
    subscribe: recorder(run),
    watched: [],
    signatures: [],
    accounts: new Map(),
  };
  for (const each of [{ kind: 'airdrop', to: 0, lamports: 20n * SOL } as const, ...steps])
    await act(world, each);
  await tick(world, finalitySlots + 2);
  for (const each of world.watched) {
    expect({ ...each, told: each.told.map(({ result }) => result) }).toEqual({
      ...each,
      told: await expected(world, each),
    });
    for (const { result, openSlot } of each.told)
      assertTime(world, each, BigInt(result.context.slot), openSlot);
  }
}

async function act(world: World, each: Step): Promise<void> {
  const { run, signatures } = world;
  switch (each.kind) {
    case 'tick':
      return tick(world, each.slots);
    case 'airdrop':
      signatures.push(await run.call('requestAirdrop', addressOf(world, each.to), each.lamports));
      return;
    case 'account':
      return watch(world, 'account', each.level, addressOf(world, each.of));
    case 'logs':
      return watch(world, 'logs', each.level, addressOf(world, each.of));
    case 'late':
      return watch(world, 'signature', each.level, signatures[each.nth % signatures.length] ?? '');
    default:
      return send(world, each);
  }
}

/** Sends with somebody waiting for the signature. */
async function send(world: World, each: Step & { readonly kind: 'transfer' | 'drain' }): Promise<void> {
  const { run, wallets } = world;
  const from = wallets[each.from] ?? Keypair.generate();
  const address = from.publicKey.toBase58();
  const held = run.ledger.accounts.read(address, run.ledger.blocks.openSlot)?.lamports ?? 0n;
  const amount = each.kind === 'transfer' ? each.lamports : held > 5_000n ? held - 5_000n : 0n;
  const text = signed(run, [from], transfer(from, new PublicKey(addressOf(world, each.to)), amount));
  const signature = base58.encode(Buffer.from(text, 'base64').subarray(1, 65));
  watch(world, 'signature', each.level, signature);
  world.signatures.push(await sendNow(run, text));
}

function watch({ run, subscribe, watched }: World, kind: Watched['kind'], level: Level, key: string): void {
  const { blocks } = run.ledger;
  const began = { kind, level, key, since: blocks.openSlot, sinceIndex: blocks.openTransactions.length };
  const config = { commitment: level, encoding: 'base64' };
  const told =
    kind === 'logs'
      ? subscribe('logsSubscribe', { mentions: [key] }, config)
      : subscribe(`${kind}Subscribe`, key, config);
  watched.push({ ...began, told });
}

async function tick({ run, wallets, accounts }: World, slots: number): Promise<void> {
  for (let each = 0; each < slots; each++) {
    const slot = run.ledger.blocks.openSlot;
    run.tick();
    for (const { publicKey } of wallets) {
      const address = publicKey.toBase58();
      const config = { commitment: 'confirmed', encoding: 'base64' } as const;
      accounts.set(`${slot} ${address}`, (await run.call('getAccountInfo', address, config)).value);
    }
  }
}

/** The notifications due by now, from the ledger's own answers. */
async function expected(world: World, each: Watched): Promise<readonly unknown[]> {
  const results = await { account: accountResults, logs: logResults, signature: signatureResults }[each.kind](
    world,
    each,
  );
  return results.map((result) => parseJson(stringifyJson(result)));
}

async function accountResults(world: World, each: Watched): Promise<readonly unknown[]> {
  return [...slotsOf(world, each)]
    .filter((slot) => isWritten(world, each.key, slot))
    .map((slot) => ({
      context: { slot },
      value: world.accounts.get(`${slot} ${each.key}`) ?? CLOSED,
    }));
}

const CLOSED = {
  lamports: 0,
  data: ['', 'base64'],
  owner: '11111111111111111111111111111111',
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
  space: 0,
};

/** A transfer that fails takes its fee only; one of nothing to an account that is not there leaves it so. */
function isWritten({ run }: World, address: string, slot: bigint): boolean {
  return run.ledger.blocks.transactions(slot).some(({ transaction: { message }, meta }) => {
    const [payer, to] = message.staticKeys;
    const isThere = (meta.preBalances[1] ?? 0n) + (meta.postBalances[1] ?? 0n) > 0n;
    return payer === address || (meta.err === null && to === address && isThere);
  });
}

async function logResults(world: World, each: Watched): Promise<readonly unknown[]> {
  const config = { commitment: 'confirmed', limit: 1_000 } as const;
  const listed = await world.run.call('getSignaturesForAddress', each.key, config);
  const slots = new Set(slotsOf(world, each));
  const isHeard = (slot: bigint, index: number) =>
    slots.has(slot) && (each.level !== 'processed' || slot > each.since || index >= each.sinceIndex);
  const heard = listed
    .filter(({ slot, transactionIndex = 0 }) => isHeard(slot, transactionIndex))
    .toReversed();
  return Promise.all(
    heard.map(async ({ signature, slot, err }) => {
      const found = await world.run.call('getTransaction', signature, { commitment: 'confirmed' });
      return { context: { slot }, value: { signature, err, logs: found?.meta?.logMessages } };
    }),
  );
}

async function signatureResults({ run }: World, each: Watched): Promise<readonly unknown[]> {
  const { value } = await run.call('getSignatureStatuses', [each.key], { searchTransactionHistory: true });
  const status = value[0];
  if (status === null || status === undefined) return [];
  const atStart = each.since - lag(run, each.level);
  const isLater = status.slot > atStart;
  return [{ context: { slot: isLater ? status.slot : atStart }, value: { err: status.err } }];
}

/** The slots by which a level is behind the open slot. */
function lag({ ledger }: TestLedger, level: Level): bigint {
  return ledger.blocks.openSlot - ledger.slotAt(level);
}

/** The slots that reached the level since the subscription began. */
function* slotsOf({ run }: World, { level, since }: Watched): Generator<bigint> {
  const last = level === 'finalized' ? run.ledger.slotAt('finalized') : run.ledger.slotAt('confirmed');
  const first = level === 'finalized' ? since - run.ledger.finalitySlots : since;
  for (let slot = first; slot <= last; slot++) yield slot;
}

/** Nothing is told before its slot has reached the level, nor later than that. */
function assertTime({ run }: World, { kind, level }: Watched, slot: bigint, openSlot: bigint): void {
  const isAtSlotEnd = kind === 'account' && level === 'processed';
  expect(openSlot - slot).toBe(isAtSlotEnd ? 1n : lag(run, level));
}

function addressOf({ wallets }: World, index: number): string {
  return (wallets[index] ?? Keypair.generate()).publicKey.toBase58();
}
