import type { ParsedAccountKey, ParsedTransactionMeta } from '../../../../../generated/ledger/types.ts';
import { formatSol } from '../../../parts/format-number.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import type { Network } from '../../../parts/networks.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { type BalanceChange, balanceChanges } from './balance-changes.ts';

type BalanceTableProps = {
  readonly network: Network;
  readonly keys: readonly ParsedAccountKey[];
  readonly meta: ParsedTransactionMeta;
};

/** The accounts of a transaction and how their balances changed. */
export function BalanceTable({ network, keys, meta }: BalanceTableProps) {
  return (
    <Table
      caption="Balances"
      columns={columnsOf(network)}
      rows={balanceChanges(keys, meta)}
      keyOf={({ address }) => address}
    />
  );
}

function columnsOf(network: Network): readonly Column<BalanceChange>[] {
  return [
    {
      title: 'Account',
      share: 1.3,
      show: ({ address, roles }) => (
        <span className="cell-lines">
          <AccountLink network={network} address={address} noun="account" hasCopy={false} />
          <span className="muted small">{roles}</span>
        </span>
      ),
    },
    {
      title: 'Change, SOL',
      kind: 'number',
      show: ({ change }) => (
        <span className={change === 0n ? 'muted' : change > 0n ? 'up' : 'down'}>
          {change > 0n && '+'}
          {formatSol(change)}
        </span>
      ),
    },
    { title: 'Before, SOL', kind: 'number', show: ({ before }) => formatSol(before) },
    { title: 'After, SOL', kind: 'number', show: ({ after }) => formatSol(after) },
  ];
}
