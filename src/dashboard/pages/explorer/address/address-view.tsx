import { useQuery } from '@tanstack/react-query';
import { callLedger } from '../../../calls/call-ledger.ts';
import { AddressSignatures } from '../../../parts/address-signatures.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Facts, type Fact } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { type Network, explorerPath } from '../../../parts/networks.ts';
import { TryCall } from '../try-call.tsx';
import { readTokenAccounts, type Holding } from './read-token-accounts.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { UiAccount } from '../../../../../generated/ledger/types.ts';
import { formatCount } from '../../../parts/format-number.ts';
import { ParsedValue } from '../parsed-value.tsx';
import { describeData } from './describe-data.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import { Count, Sol } from '../../../parts/number.tsx';

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
  // Lower parts wait for those above them, so that nothing moves.
  const isSettled = !account.isPending && !tokens.isPending;
  return (
    <>
      <section className="panel" aria-labelledby="account">
        <div className="panel-head">
          <h2 id="account">Account</h2>
          <TryCall method="getAccountInfo" params={[address, CONFIG]} network={network} />
        </div>
        <ErrorNotice error={account.error} operation={['Accounts', 'getAccountInfo', 'ledger']} />
        <Facts
          facts={[
            { name: 'Address', value: <KeyText text={address} noun="address" isWhole />, isWide: true },
            ...accountFacts(network, account.data),
          ]}
        />
        {isSettled && account.data === null && (
          <p className="muted">No account: nothing was ever sent here, or everything was withdrawn.</p>
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

type TokenAccountsProps = { readonly network: Network; readonly holdings: readonly Holding[] };

/** The token accounts of an owner. Takes no space without any. */
function TokenAccounts({ network, holdings }: TokenAccountsProps) {
  if (holdings.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="tokens">
      <h2 id="tokens">Token accounts</h2>
      <Table
        caption="Token accounts"
        columns={columnsOf(network)}
        rows={holdings}
        keyOf={({ address }) => address}
      />
    </section>
  );
}

function columnsOf(network: Network): readonly Column<Holding>[] {
  const link = (text: string, noun: string) => (
    <KeyText text={text} noun={noun} href={explorerPath(network, text)} />
  );
  return [
    { title: 'Account', show: ({ address }) => link(address, 'account') },
    { title: 'Mint', show: ({ mint }) => link(mint, 'mint') },
    { title: 'State', show: ({ state }) => state },
    { title: 'Amount', kind: 'number', show: ({ amount }) => amount },
  ];
}

type AccountDataProps = { readonly network: Network; readonly account: UiAccount };

/** The data of an account, parsed if the node knows its program. Takes no space without data. */
function AccountDataPanel({ network, account }: AccountDataProps) {
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
            Not parsed; shown in {data.encoding}
            {data.left > 0 && `, without the last ${formatCount(data.left)} characters`}.
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

/** Returns the facts of an account. `account`: null if it does not exist, undefined until it is known. */
function accountFacts(network: Network, account: UiAccount | null | undefined): readonly Fact[] {
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

/** Rent-exempt accounts have the highest possible epoch. */
function describeRentEpoch(epoch: bigint) {
  return epoch === NEVER ? 'never (exempt)' : <Count value={epoch} />;
}
