import type { Block, BlockTransaction } from '../../stream/block/block.ts';
import type { LedgerCommitment } from './ledger-commitment.ts';
import type { LedgerFilter } from './ledger-filter.ts';
import type { LedgerFact } from './ledger-fact.ts';

/** A block, ready to be asked for filters. */
export type IndexedBlock = {
  readonly block: Block;
  readonly naming: ReadonlyMap<string, readonly BlockTransaction[]>;
  readonly bySignature: ReadonlyMap<string, BlockTransaction>;
};

/** Reads a block once for all webhooks. @throws ServiceError `upstreamBroken` if it cannot be read. */
export function indexBlock(block: Block): IndexedBlock {
  const naming = new Map<string, BlockTransaction[]>();
  const bySignature = new Map<string, BlockTransaction>();
  for (const transaction of block.transactions()) {
    bySignature.set(transaction.signature, transaction);
    for (const { address } of transaction.accounts) {
      const named = naming.get(address);
      if (named === undefined) naming.set(address, [transaction]);
      else if (named.at(-1) !== transaction) named.push(transaction);
    }
  }
  return { block, naming, bySignature };
}

/** Returns what happened in a block that fits the filters, in its order: by transaction, rewards last. */
export function matchBlock(
  { block, naming, bySignature }: IndexedBlock,
  filters: readonly LedgerFilter[],
  status: LedgerCommitment,
): readonly LedgerFact[] {
  const hits = new Map<BlockTransaction, LedgerFilter[]>();
  for (const filter of filters) {
    const { kind, value } = filter;
    const found = kind === 'signature' ? [bySignature.get(value) ?? []].flat() : (naming.get(value) ?? []);
    for (const transaction of found) hits.set(transaction, [...(hits.get(transaction) ?? []), filter]);
  }
  const at = { slot: Number(block.slot), blockTime: asNumber(block.blockTime) };
  const ofTransactions = [...hits]
    .sort(([a], [b]) => a.index - b.index)
    .flatMap(([transaction, fitting]) => factsOf(transaction, fitting, status));
  return [...ofTransactions, ...rewardsOf(block, filters)].map((fact) => ({ ...at, ...fact }));
}

type Fact = Omit<LedgerFact, 'slot' | 'blockTime'>;

function factsOf(
  { index, signature, error, fee, accounts }: BlockTransaction,
  filters: readonly LedgerFilter[],
  status: LedgerCommitment,
): readonly Fact[] {
  const failed = error === undefined ? {} : { error };
  const naming = filters.filter(({ kind }) => kind !== 'signature');
  const addresses = new Set(naming.flatMap(({ kind, value }) => (kind === 'address' ? [value] : [])));
  const named: Fact[] =
    naming.length === 0
      ? []
      : [
          {
            type: 'ledger.transaction',
            data: { signature, index, filters: naming, fee: String(fee), ...failed },
          },
        ];
  const balances = accounts.flatMap(({ address, lamportsBefore, lamportsAfter }): Fact[] =>
    !addresses.has(address) || lamportsBefore === lamportsAfter
      ? []
      : [balance({ address, before: lamportsBefore, after: lamportsAfter }, { signature, index })],
  );
  const isAwaited = naming.length < filters.length;
  const settled: Fact[] = isAwaited
    ? [{ type: 'ledger.signature', data: { signature, status, ...failed } }]
    : [];
  return [...named, ...balances, ...settled];
}

/** Rewards change balances without a transaction. */
function rewardsOf(block: Block, filters: readonly LedgerFilter[]): readonly Fact[] {
  const addresses = new Set(filters.flatMap(({ kind, value }) => (kind === 'address' ? [value] : [])));
  if (addresses.size === 0) return [];
  return block
    .rewards()
    .flatMap(({ address, lamports, postBalance, type }) =>
      !addresses.has(address) || lamports === 0n
        ? []
        : [
            balance(
              { address, before: postBalance - lamports, after: postBalance },
              type === '' ? {} : { reward: type },
            ),
          ],
    );
}

function balance(
  { address, before, after }: { readonly address: string; readonly before: bigint; readonly after: bigint },
  cause: Readonly<Record<string, unknown>>,
): Fact {
  return {
    type: 'ledger.balance',
    data: { address, lamports_before: String(before), lamports_after: String(after), ...cause },
  };
}

function asNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
