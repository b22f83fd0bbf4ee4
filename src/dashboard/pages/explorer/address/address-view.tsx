import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { UiAccount } from '../../../../../generated/ledger/types.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { AddressSignatures } from '../../../parts/address-signatures.tsx';
import { type Fact, Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { Count, Sol } from '../../../parts/number.tsx';
import { ParsedValue } from '../parsed-value.tsx';
import { TryCall } from '../try-call.tsx';
import { TokenAccounts } from './token-accounts.tsx';
import { describeData } from './describe-data.ts';

type AddressViewProps = { readonly network: Network; readonly address: string };

const CONFIG = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;

/** The account at an address, what it owns, and the transactions that name it. */
export function AddressView({ network, address }: AddressViewProps) {
  const { rpc_path } = network;
  const account = useQuery({
    queryKey: ['ledger', rpc_path, 'account', address],
    queryFn: () =>
      callLedger(rpc_path, async (ledger) => (await ledger.getAccountInfo(address, CONFIG)).value),
  });
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
            ...factsOf(network, account.data),
          ]}
        />
        {account.data === null && (
          <p className="muted">No account: nothing was ever sent here, or everything has left again.</p>
        )}
      </section>
      {account.data !== undefined && account.data !== null && (
        <Data network={network} account={account.data} />
      )}
      {account.data !== undefined && <TokenAccounts network={network} owner={address} />}
      {!account.isPending && (
        <section className="panel" aria-labelledby="transactions">
          <h2 id="transactions">Transactions</h2>
          <AddressSignatures network={network} address={address} />
        </section>
      )}
    </>
  );
}

/** The members of an account; dashes until it is known, and where there is none. */
function factsOf(network: Network, account: UiAccount | null | undefined): readonly Fact[] {
  const empty = account === undefined ? '…' : 'none';
  return [
    {
      name: 'Balance',
      value: account ? <Sol lamports={account.lamports} /> : account === null ? <Sol lamports={0n} /> : '…',
    },
    {
      name: 'Owner',
      value: account ? (
        <KeyText text={account.owner} noun="owner" href={explorerPath(network, account.owner)} />
      ) : (
        empty
      ),
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

function describeRentEpoch(epoch: bigint) {
  return epoch === NEVER ? 'never (exempt)' : <Count value={epoch} />;
}

function Data({ network, account }: { readonly network: Network; readonly account: UiAccount }) {
  const data = describeData(account.data);
  if (data === undefined) return null;
  return (
    <section className="panel" aria-labelledby="data">
      <h2 id="data">Data</h2>
      {data.kind === 'parsed' ? (
        <>
          <p className="muted">
            Parsed as an account of <code>{data.program}</code>
          </p>
          <ParsedValue network={network} value={data.parsed} />
        </>
      ) : (
        <>
          <p className="muted">
            No parser knows it; in {data.encoding}.{' '}
            <Link href={explorerPath(network, account.owner)}>Its program</Link>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keyboard. */}
          <pre className="logs" tabIndex={0}>
            {data.text}
          </pre>
        </>
      )}
    </section>
  );
}
