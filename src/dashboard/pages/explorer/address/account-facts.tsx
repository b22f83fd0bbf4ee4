import type { UiAccount } from '../../../../../generated/ledger/types.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import type { Fact } from '../../../parts/facts.tsx';
import type { Network } from '../../../parts/networks.ts';
import { Count, Sol } from '../../../parts/number.tsx';

/** Returns the members of an account; null where there is none, undefined until it is known. */
export function accountFacts(network: Network, account: UiAccount | null | undefined): readonly Fact[] {
  const empty = account === undefined ? '…' : 'none';
  return [
    {
      name: 'Balance',
      value: account ? <Sol lamports={account.lamports} /> : account === null ? <Sol lamports={0n} /> : '…',
    },
    {
      name: 'Owner',
      value: account ? <AccountLink network={network} address={account.owner} noun="owner" /> : empty,
    },
    {
      name: 'Data',
      value: account ? (
        <span>
          <Count value={account.space} /> bytes
        </span>
      ) : (
        empty
      ),
    },
    { name: 'Program', value: account ? (account.executable ? 'yes, executable' : 'no') : empty },
    { name: 'Rent epoch', value: account ? describeRentEpoch(account.rentEpoch) : empty },
  ];
}

const NEVER = 2n ** 64n - 1n;

/** Accounts that pay no rent have the last epoch that there is. */
function describeRentEpoch(epoch: bigint) {
  return epoch === NEVER ? 'never (exempt)' : <Count value={epoch} />;
}
