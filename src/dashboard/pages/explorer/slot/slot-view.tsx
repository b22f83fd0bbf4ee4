import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { callLedger } from '../../../calls/call-ledger.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { ListPage } from '../../../parts/list-page.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { Count } from '../../../parts/number.tsx';
import { Time } from '../../../parts/time.tsx';
import { instantOf } from '../../../parts/unix-time.ts';
import { TryCall } from '../try-call.tsx';
import { isNoBlock } from './is-no-block.ts';
import { pageOf } from './page-of.ts';
import { BLOCK_CONFIG, readBlock, type SlotBlock } from './read-block.ts';

type SlotViewProps = { readonly network: Network; readonly slot: bigint };

/** The block of a slot and its transactions. */
export function SlotView({ network, slot }: SlotViewProps) {
  const { rpc_path } = network;
  const block = useQuery({
    queryKey: ['ledger', rpc_path, 'block', String(slot)],
    queryFn: () => callLedger(rpc_path, (ledger) => readBlock(ledger, slot)),
    retry: false,
  });
  const neighbours = (
    <nav className="slot-links" aria-label="Slots beside this one">
      {slot > 0n && <Link href={explorerPath(network, slot - 1n)}>Slot before</Link>}
      <Link href={explorerPath(network, slot + 1n)}>Slot after</Link>
      <TryCall tag="Blocks" method="getBlock" params={[slot, BLOCK_CONFIG]} network={network} />
    </nav>
  );
  if (block.isError)
    return (
      <section className="panel">
        {isNoBlock(block.error) ? (
          <EmptyState title={`Slot ${slot} has no block`}>
            <p>Its leader made none, it is still to come, or it is older than what the node keeps.</p>
          </EmptyState>
        ) : (
          <ErrorNotice error={block.error} operation={['Blocks', 'getBlock', 'ledger']} />
        )}
        {neighbours}
      </section>
    );
  return (
    <>
      <section className="panel" aria-labelledby="block">
        <div className="panel-head">
          <h2 id="block">Block</h2>
          {neighbours}
        </div>
        <BlockFacts network={network} slot={slot} block={block.data} />
      </section>
      {block.data !== undefined && <Signatures network={network} slot={slot} block={block.data} />}
    </>
  );
}

type BlockFactsProps = SlotViewProps & { readonly block: SlotBlock | undefined };

function BlockFacts({ network, slot, block }: BlockFactsProps) {
  const key = (text: string | undefined, noun: string) =>
    text === undefined ? '…' : <KeyText text={text} noun={noun} />;
  return (
    <Facts
      facts={[
        { name: 'Slot', value: <Count value={slot} /> },
        {
          name: 'Time',
          value:
            block === undefined ? (
              '…'
            ) : block.time === null ? (
              'not known'
            ) : (
              <Time at={instantOf(block.time)} />
            ),
        },
        {
          name: 'Leader',
          value:
            block === undefined ? (
              '…'
            ) : block.leader === undefined ? (
              'not known'
            ) : (
              <KeyText text={block.leader} noun="leader" href={explorerPath(network, block.leader)} />
            ),
        },
        {
          name: 'Transactions',
          value: block === undefined ? '…' : <Count value={block.signatures.length} />,
        },
        {
          name: 'Height',
          value:
            block === undefined ? '…' : block.height === null ? 'not known' : <Count value={block.height} />,
        },
        {
          name: 'Parent',
          value:
            block === undefined ? (
              '…'
            ) : (
              <Link href={explorerPath(network, block.parent)}>
                <Count value={block.parent} />
              </Link>
            ),
        },
        { name: 'Blockhash', value: key(block?.blockhash, 'blockhash') },
      ]}
    />
  );
}

type SignaturesProps = SlotViewProps & { readonly block: SlotBlock };

function Signatures({ network, slot, block }: SignaturesProps) {
  return (
    <section className="panel" aria-labelledby="slot-transactions">
      <h2 id="slot-transactions">Transactions</h2>
      <ListPage
        caption="Transactions of the slot"
        queryKey={['ledger', network.rpc_path, 'block', String(slot), 'signatures']}
        read={async (query) => pageOf(block.signatures, query)}
        rowsOf={({ rows }) => rows}
        columns={[
          { title: 'Place', share: 0.3, show: ({ place }) => <Count value={place} /> },
          {
            title: 'Signature',
            share: 3,
            show: ({ signature }) => (
              <KeyText text={signature} noun="signature" href={explorerPath(network, signature)} />
            ),
          },
        ]}
        keyOf={({ signature }) => signature}
        operation={['Blocks', 'getBlock', 'ledger']}
        empty={{ title: 'The block has no transactions' }}
        steps={['Previous', 'Next']}
      />
    </section>
  );
}
