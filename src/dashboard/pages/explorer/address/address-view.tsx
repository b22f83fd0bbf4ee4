import { useQuery } from '@tanstack/react-query';
import { callLedger } from '../../../calls/call-ledger.ts';
import { AddressSignatures } from '../../../parts/address-signatures.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import type { Network } from '../../../parts/networks.ts';
import { TryCall } from '../try-call.tsx';
import { AccountDataPanel } from './account-data.tsx';
import { accountFacts } from './account-facts.tsx';
import { readTokenAccounts } from './read-token-accounts.ts';
import { TokenAccounts } from './token-accounts.tsx';

type AddressViewProps = { readonly network: Network; readonly address: string };

const CONFIG = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;

/** The account at an address, the tokens it owns, and the transactions that name it. */
export function AddressView({ network, address }: AddressViewProps) {
  const { rpc_path } = network;
  const account = useQuery({
    queryKey: ['ledger', rpc_path, 'account', address],
    queryFn: () =>
      callLedger(rpc_path, async (ledger) => (await ledger.getAccountInfo(address, CONFIG)).value),
  });
  const tokens = useQuery({
    queryKey: ['ledger', rpc_path, 'tokens', address],
    queryFn: () => callLedger(rpc_path, (ledger) => readTokenAccounts(ledger, address)),
  });
  // What comes below waits for what is above it, so that nothing moves.
  const isSettled = !account.isPending && !tokens.isPending;
  return (
    <>
      <section className="panel" aria-labelledby="account">
        <div className="panel-head">
          <h2 id="account">Account</h2>
          <TryCall tag="Accounts" method="getAccountInfo" params={[address, CONFIG]} network={network} />
        </div>
        <ErrorNotice error={account.error} operation={['Accounts', 'getAccountInfo', 'ledger']} />
        <Facts
          facts={[
            { name: 'Address', value: <KeyText text={address} noun="address" isWhole />, isWide: true },
            ...accountFacts(network, account.data),
          ]}
        />
        {isSettled && account.data === null && (
          <p className="muted">No account: nothing was ever sent here, or everything has left again.</p>
        )}
      </section>
      {isSettled && (
        <>
          {account.data != null && <AccountDataPanel network={network} account={account.data} />}
          <ErrorNotice error={tokens.error} operation={['Tokens', 'getTokenAccountsByOwner', 'ledger']} />
          <TokenAccounts network={network} holdings={tokens.data ?? []} />
          <section className="panel" aria-labelledby="transactions">
            <h2 id="transactions">Transactions</h2>
            <AddressSignatures network={network} address={address} />
          </section>
        </>
      )}
    </>
  );
}
