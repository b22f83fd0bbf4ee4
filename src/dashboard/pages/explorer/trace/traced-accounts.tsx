import type { TracedAccount } from '../../../../../generated/localnet/types.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import { formatCount, formatSol } from '../../../parts/format-number.ts';
import type { Network } from '../../../parts/networks.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { changeLines } from './change-lines.ts';

type TracedAccountsProps = { readonly network: Network; readonly accounts: readonly TracedAccount[] };

/** The accounts of a transaction before and after it. */
export function TracedAccounts({ network, accounts }: TracedAccountsProps) {
  return (
    <Table
      caption="Accounts before and after"
      columns={columnsOf(network)}
      rows={accounts}
      keyOf={({ address }) => address}
    />
  );
}

function columnsOf(network: Network): readonly Column<TracedAccount>[] {
  return [
    {
      title: 'Account',
      share: 1.2,
      show: ({ address, signer, writable }) => (
        <span className="cell-lines">
          <AccountLink network={network} address={address} noun="account" hasCopy={false} />
          <span className="muted small">
            {signer && 'signer, '}
            {writable ? 'writable' : 'read-only'}
          </span>
        </span>
      ),
    },
    {
      title: 'Before, SOL',
      kind: 'number',
      show: ({ balance }) => (balance === null ? 'not read' : formatSol(BigInt(balance.before))),
    },
    {
      title: 'After, SOL',
      kind: 'number',
      show: ({ balance }) => (balance === null ? 'not read' : formatSol(BigInt(balance.after))),
    },
    {
      title: 'What changed',
      share: 2,
      show: (account) => (
        <span className="cell-lines small">
          {changeLines(account).map((line) => (
            <span key={line} className="number-wrap">
              {line}
            </span>
          ))}
          {account.dataChanges.map(({ offset, before, after }) => (
            <code key={String(offset)} className="changed-bytes">
              {formatCount(offset)}: {before === '' ? 'nothing' : before} → {after === '' ? 'nothing' : after}
            </code>
          ))}
          {account.dataChangesCut && <span className="muted">and more</span>}
        </span>
      ),
    },
  ];
}
