import type { ListPosition } from '../../core/read-page.ts';
import { sql } from '../../store/drizzle.ts';
import { readInOrder } from '../../store/read-in-order.ts';
import { createSelection } from '../../store/select-rows.ts';
import type { PlaceholderOf } from '../../store/statement.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { batched } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';
import { isDestroyed } from './find-wallet.ts';
import type { WalletRow } from '../wallet-row.ts';

/** Selects wallets of an account; an absent filter matches all of them. */
export type ListFilters = {
  /** Part of the label, whatever the case of its letters. */
  readonly label?: string;
  readonly address?: string;
  readonly master_wallet_id?: string;
};

export type ListPage = {
  /** Only wallets after this position in the list. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
};

type Values = Readonly<Record<keyof ListFilters | 'accountId' | 'beforeAt' | 'beforeId', string>> & {
  readonly limit: number;
};

const CONDITIONS = {
  label: (param: PlaceholderOf<Values>) => sql`strpos(lower(label), lower(${param('label')})) > 0`,
  address: (param: PlaceholderOf<Values>) => sql`address = ${param('address')}`,
  master_wallet_id: (param: PlaceholderOf<Values>) => sql`master_id = ${param('master_wallet_id')}`,
};

const FILTERS = Object.keys(CONDITIONS) as readonly (keyof ListFilters)[];

/** A statement for each combination of filters, so that PostgreSQL plans each one for its filters. */
const selections = new Map<string, ReturnType<typeof createListSelection>>();

/** Returns rows of the caller's wallets, newest first. Text that is not an id never reaches the store. */
export async function listRows(
  context: WalletContext,
  filters: ListFilters,
  { after, limit }: ListPage,
): Promise<readonly WalletRow[]> {
  const { label = '', address = '', master_wallet_id = '' } = filters;
  if (filters.master_wallet_id !== undefined && !isWalletId(master_wallet_id)) return [];
  const values: Values = {
    accountId: context.caller.accountId,
    label,
    address,
    master_wallet_id,
    limit,
    beforeAt: after?.at.toISOString() ?? 'infinity',
    beforeId: after?.id ?? '',
  };
  const select = selectionFor(FILTERS.filter((name) => filters[name] !== undefined));
  const store = context.store.lowPriority;
  // An address has one wallet, which an index of its own finds.
  const isOne = filters.address !== undefined;
  const [, rows] = await batched({ store }, (db) => [
    isOne ? Promise.resolve() : readInOrder(db),
    select(db, values),
  ]);
  return rows;
}

function selectionFor(names: readonly (keyof ListFilters)[]): ReturnType<typeof createListSelection> {
  const key = names.join();
  const known = selections.get(key) ?? createListSelection(names);
  selections.set(key, known);
  return known;
}

function createListSelection(names: readonly (keyof ListFilters)[]) {
  return createSelection<typeof wallets, Values>(wallets, (param) => {
    const filters = names.map((name) => sql` and ${CONDITIONS[name](param)}`);
    return sql`account_id = ${param('accountId')} and not ${isDestroyed}${sql.join(filters)}
      and (created_at, id) < (${param('beforeAt')}::timestamptz, ${param('beforeId')})
      order by created_at desc, id desc limit ${param('limit')}`;
  });
}
