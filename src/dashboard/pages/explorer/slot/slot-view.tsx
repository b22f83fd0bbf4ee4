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
import { instantOf } from '../../../parts/calendar.ts';
import { TryCall } from '../try-call.tsx';
import { pageOf, isNoBlock } from './page-of.ts';
import type { LedgerClient } from '../../../../../generated/ledger/client.ts';
import { CallError } from '../../../../../runtime/call-error.ts';

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
    <nav className="slot-links" aria-label="Neighbouring slots">
      {slot > 0n && <Link href={explorerPath(network, slot - 1n)}>Previous slot</Link>}
      <Link href={explorerPath(network, slot + 1n)}>Next slot</Link>
      <TryCall method="getBlock" params={[slot, BLOCK_CONFIG]} network={network} />
    </nav>
  );
  if (block.isError)
    return (
      <section className="panel">
        {isNoBlock(block.error) ? (
          <EmptyState title={`Slot ${slot} has no block`}>
            <p>Its leader skipped it, it is in the future, or it is older than what the node keeps.</p>
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

/** The part of a block that the page of its slot shows. */
type SlotBlock = {
  readonly blockhash: string;
  readonly parent: bigint;
  readonly time: bigint | null;
  readonly height: bigint | null;
  readonly signatures: readonly string[];
  /** Absent if the node does not know it: nodes keep the leaders of only a few epochs. */
  readonly leader?: string;
};

/** The configuration of the block request: only signatures. */
const BLOCK_CONFIG = {
  transactionDetails: 'signatures',
  rewards: true,
  commitment: 'confirmed',
  maxSupportedTransactionVersion: 1,
} as const;

/** Reads the block of a slot. Throws CallError, and Error if the node cannot read it. */
async function readBlock(ledger: LedgerClient, slot: bigint): Promise<SlotBlock> {
  const block = await ledger.getBlock(slot, BLOCK_CONFIG);
  if (block === null) throw new Error('The node knows this block but cannot read it.');
  // A block names its leader with the fee reward; the schedule covers slots without fees.
  const rewarded = block.rewards?.find(({ rewardType }) => rewardType === 'Fee')?.pubkey;
  const leader = rewarded ?? (await scheduledLeader(ledger, slot));
  return {
    blockhash: block.blockhash,
    parent: block.parentSlot,
    time: block.blockTime,
    height: block.blockHeight,
    signatures: 'signatures' in block ? block.signatures : [],
    ...(leader !== undefined && { leader }),
  };
}

async function scheduledLeader(ledger: LedgerClient, slot: bigint): Promise<string | undefined> {
  try {
    return (await ledger.getSlotLeaders(slot, 1))[0];
  } catch (error) {
    // Nodes keep the schedule only for the epochs around the current one, and refuse others.
    if (error instanceof CallError && error.failure.kind === 'rpc') return undefined;
    throw error;
  }
}
