import { expect } from 'vitest';
import type { Ask } from './disk/ledger-process.ts';

type Transaction = {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: { readonly accountKeys: readonly string[] };
  };
  readonly meta: { readonly fee: number; readonly postBalances: readonly (number | bigint)[] };
};
type Block = {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly transactions: readonly Transaction[];
  readonly rewards: readonly Reward[];
};
type Reward = { readonly pubkey: string; readonly lamports: number | bigint };
type Placed = Transaction & { readonly slot: number };

/** A chain without votes, as a client can see it. */
export type Chain = {
  readonly slots: readonly number[];
  readonly transactions: readonly Placed[];
  readonly rewards: readonly (Reward & { readonly slot: number })[];
};

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;
const TOGETHER = 32;
const BLOCK = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const;

/**
 * Reads all confirmed blocks and expects that lamports are conserved but for rewards, every signature is indexed under each of its addresses, parent hashes
 * match, and reads at the three commitments are ordered, each with the balances of its own slot. `total` is the supply that the ledger began
 * with.
 */
export async function expectPromises(ask: Ask, addresses: readonly string[], total: bigint): Promise<Chain> {
  const chain = await readChain(ask);
  await expectConserved(ask, chain, total);
  await expectIndexed(ask, chain);
  await expectOrdered(ask, chain, addresses);
  return chain;
}

/** The supply with which a ledger began. */
export async function supplyOf(ask: Ask): Promise<bigint> {
  const { total, slot } = await readSupply(ask);
  const { transactions, rewards } = await readChain(ask);
  return total - changeOf({ transactions, rewards }, slot);
}

async function readSupply(ask: Ask): Promise<{ readonly total: bigint; readonly slot: number }> {
  const { context, value } = (await ask('getSupply', { commitment: 'confirmed' })) as {
    readonly context: { readonly slot: number };
    readonly value: { readonly total: number | bigint };
  };
  return { total: BigInt(value.total), slot: context.slot };
}

async function readChain(ask: Ask): Promise<Chain> {
  const first = (await ask('getFirstAvailableBlock')) as number;
  const last = (await ask('getSlot', { commitment: 'confirmed' })) as number;
  const slots = (await ask('getBlocks', first, last, { commitment: 'confirmed' })) as number[];
  const hashes = new Map<number, string>();
  const transactions: Placed[] = [];
  const rewards: Chain['rewards'][number][] = [];
  for (const { slot, block } of await readBlocks(ask, slots)) {
    hashes.set(slot, block.blockhash);
    const parent = hashes.get(block.parentSlot);
    if (slot > first) expect([slot, block.previousBlockhash]).toEqual([slot, parent]);
    transactions.push(...block.transactions.map((each) => ({ ...each, slot })));
    rewards.push(...block.rewards.map((each) => ({ ...each, slot })));
  }
  return { slots, transactions, rewards };
}

async function readBlocks(
  ask: Ask,
  slots: readonly number[],
): Promise<readonly { readonly slot: number; readonly block: Block }[]> {
  const read = [];
  for (let at = 0; at < slots.length; at += TOGETHER) {
    const some = slots.slice(at, at + TOGETHER);
    read.push(
      ...(await Promise.all(
        some.map(async (slot) => ({ slot, block: (await ask('getBlock', slot, BLOCK)) as Block })),
      )),
    );
  }
  return read;
}

/** The supply is read at a slot that may be after the last block that was read: what came since is read as well. */
async function expectConserved(
  ask: Ask,
  { transactions, rewards, slots }: Chain,
  total: bigint,
): Promise<void> {
  const supply = await readSupply(ask);
  let change = changeOf({ transactions, rewards }, supply.slot);
  for (let slot = (slots.at(-1) ?? 0) + 1; slot <= supply.slot; slot++) {
    const block = (await ask('getBlock', slot, BLOCK)) as Block;
    change += changeOf({
      transactions: block.transactions.map((each) => ({ ...each, slot })),
      rewards: block.rewards.map((each) => ({ ...each, slot })),
    });
  }
  expect(supply.total - change).toBe(total);
}

/** The change of the supply by blocks up to a slot: rewards, and fees, which are burned. */
function changeOf(
  { transactions, rewards }: Pick<Chain, 'transactions' | 'rewards'>,
  last = Number.POSITIVE_INFINITY,
): bigint {
  const changes = [
    ...transactions.map(({ slot, meta }) => ({ slot, lamports: -BigInt(meta.fee) })),
    ...rewards.map(({ slot, lamports }) => ({ slot, lamports: BigInt(lamports) })),
  ];
  return changes.filter(({ slot }) => slot <= last).reduce((sum, { lamports }) => sum + lamports, 0n);
}

async function expectIndexed(ask: Ask, { transactions }: Chain): Promise<void> {
  const byAddress = new Map<string, string[]>();
  for (const { transaction } of transactions)
    for (const address of transaction.message.accountKeys)
      byAddress.set(address, [transaction.signatures[0] ?? '', ...(byAddress.get(address) ?? [])]);
  for (const [address, signatures] of byAddress) {
    const found = (await ask('getSignaturesForAddress', address, { commitment: 'confirmed' })) as {
      readonly signature: string;
    }[];
    const known = found.map(({ signature }) => signature).filter((each) => signatures.includes(each));
    expect([address, known]).toEqual([address, signatures.slice(0, 1_000)]);
  }
}

async function expectOrdered(
  ask: Ask,
  { transactions, slots }: Chain,
  addresses: readonly string[],
): Promise<void> {
  const last = slots.at(-1) ?? 0;
  const isFinalAtOnce = (await ask('getAgGenesisCert')) !== null;
  for (const address of addresses) {
    const read: number[] = [];
    // From the lowest commitment up: the chain continues meanwhile, so each of the later ones would be allowed to be higher, and is not.
    for (const commitment of COMMITMENTS.toReversed()) {
      const { context, value } = (await ask('getBalance', address, { commitment })) as {
        readonly context: { readonly slot: number };
        readonly value: number | bigint;
      };
      read.push(context.slot);
      if (context.slot > last) continue;
      const balance = balanceAt(transactions, address, context.slot);
      if (balance !== undefined)
        expect([address, commitment, BigInt(value)]).toEqual([address, commitment, balance]);
    }
    const [finalized = 0, confirmed = 0, processed = 0] = read;
    const isHigher = isFinalAtOnce ? confirmed >= finalized : confirmed > finalized;
    expect([isHigher, processed > confirmed]).toEqual([true, true]);
  }
}

/** The balance that the last transaction up to a slot left. */
function balanceAt(transactions: readonly Placed[], address: string, slot: number): bigint | undefined {
  const last = transactions.findLast(
    (each) => each.slot <= slot && each.transaction.message.accountKeys.includes(address),
  );
  if (last === undefined) return undefined;
  return BigInt(last.meta.postBalances[last.transaction.message.accountKeys.indexOf(address)] ?? 0);
}
