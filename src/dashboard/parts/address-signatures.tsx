import { Link } from 'wouter';
import type { AddressSignature } from '../../../generated/ledger/types.ts';
import { callLedger } from '../calls/call-ledger.ts';
import { Badge } from './badge.tsx';
import { KeyText } from './key-text.tsx';
import { ListPage } from './list-page.tsx';
import { explorerPath, type Network } from './networks.ts';
import { Count } from './number.tsx';
import type { Column } from './table.tsx';
import { Time } from './time.tsx';
import { instantOf } from './calendar.ts';

type AddressSignaturesProps = { readonly network: Network; readonly address: string };

/** The transactions that name an address, newest first. */
export function AddressSignatures({ network, address }: AddressSignaturesProps) {
  const { rpc_path } = network;
  return (
    <ListPage
      caption="Transactions"
      queryKey={['ledger', rpc_path, 'signatures', address]}
      read={({ limit, cursor }) =>
        callLedger(rpc_path, async (ledger) => {
          const before = cursor ?? null;
          return pageOf(
            await ledger.getSignaturesForAddress(address, { limit, before, commitment: 'confirmed' }),
            limit,
          );
        })
      }
      rowsOf={({ rows }) => rows}
      columns={columnsOf(network)}
      keyOf={({ signature }) => signature}
      operation={['Transactions', 'getSignaturesForAddress', 'ledger']}
      empty={{ title: 'No transactions yet' }}
      limit={10}
    />
  );
}

/** A full page may be followed by another one, which begins after its last signature. */
function pageOf(rows: readonly AddressSignature[], limit: number) {
  const last = rows.at(-1);
  return { rows, ...(rows.length === limit && last !== undefined && { next_cursor: last.signature }) };
}

function columnsOf(network: Network): readonly Column<AddressSignature>[] {
  return [
    {
      title: 'Signature',
      share: 1.5,
      show: ({ signature }) => (
        <KeyText text={signature} noun="signature" href={explorerPath(network, signature)} />
      ),
    },
    {
      title: 'Result',
      show: ({ err }) => (
        <Badge tone={err === null ? 'good' : 'bad'}>{err === null ? 'succeeded' : 'failed'}</Badge>
      ),
    },
    {
      title: 'Time',
      share: 1.3,
      show: ({ blockTime }) => (blockTime === null ? 'not known' : <Time at={instantOf(blockTime)} />),
    },
    {
      title: 'Slot',
      kind: 'number',
      show: ({ slot }) => (
        <Link href={explorerPath(network, slot)}>
          <Count value={slot} />
        </Link>
      ),
    },
  ];
}
