import { useQuery } from '@tanstack/react-query';
import type { KeyedAccount } from '../../../../../generated/ledger/types.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { type Holding, readHolding } from './read-holding.ts';

type TokenAccountsProps = { readonly network: Network; readonly owner: string };

/** SPL Token and Token-2022. */
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
] as const;

const CONFIG = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;

/** The tokens of an owner, of both token programs. Takes no room without any. */
export function TokenAccounts({ network, owner }: TokenAccountsProps) {
  const { rpc_path } = network;
  const holdings = useQuery({
    queryKey: ['ledger', rpc_path, 'tokens', owner],
    queryFn: () =>
      callLedger(rpc_path, async (ledger) => {
        const found = await Promise.all(
          TOKEN_PROGRAMS.map((programId) => ledger.getTokenAccountsByOwner(owner, { programId }, CONFIG)),
        );
        return found.flatMap(({ value }) => value).flatMap(holdingOf);
      }),
  });
  if (holdings.isError)
    return <ErrorNotice error={holdings.error} operation={['Tokens', 'getTokenAccountsByOwner', 'ledger']} />;
  if (holdings.data === undefined || holdings.data.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="tokens">
      <h2 id="tokens">Token accounts</h2>
      <Table
        caption="Token accounts"
        columns={columnsOf(network)}
        rows={holdings.data}
        keyOf={({ address }) => address}
      />
    </section>
  );
}

function holdingOf({ pubkey, account }: KeyedAccount): readonly Holding[] {
  const holding = readHolding(pubkey, account.data);
  return holding === undefined ? [] : [holding];
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
