import type { Config } from '../../generated/config.ts';
import type { LogFailure } from '../server/access/failure-log.ts';
import { createHub, type Hub } from '../gateway/streams/hub.ts';
import { createLedgerNode, type LedgerNode } from '../gateway/streams/ledger-node.ts';
import type { Segments } from '../gateway/streams/segments/keep-segments.ts';
import type { SharedNetwork } from '../gateway/streams/shared/share-blocks.ts';
import { createStreamPace, type StreamPace } from '../gateway/streams/stream-pace.ts';
import { createLedgerStarts, type LedgerStarts } from '../account/webhooks/ledger/ledger-starts.ts';
import type { LedgerSource } from '../account/webhooks/ledger/ledger-source.ts';
import type { Network } from './start-network.ts';

/** A network whose blocks are followed while somebody reads them. */
export type FollowedNetwork = {
  readonly label: string;
  readonly hub: Hub;
  readonly node: LedgerNode;
  readonly pace: StreamPace;
} & Pick<Network, 'readYourWrites'>;

/** Makes what a network needs to share its blocks with other gateways; undefined where they are not shared. */
export type ShareNetwork = (network: Network, pace: StreamPace) => SharedNetwork | undefined;

/** The blocks of every network, for topic streams and webhooks. */
export type Ledgers = {
  readonly followed: readonly FollowedNetwork[];
  /** The same as webhooks get events of them. */
  readonly sources: readonly LedgerSource[];
  readonly starts: LedgerStarts;
  readonly close: () => void;
};

export type LedgerParts = {
  readonly networks: readonly Network[];
  readonly config: Pick<Config, 'grpc'>;
  readonly logFailure: LogFailure;
  readonly share?: ShareNetwork | undefined;
  /** Keeps older blocks, except those of an embedded ledger, which keeps its own. */
  readonly segments?: Segments | undefined;
};

/** Opens the blocks of every network. Nothing is read before somebody reads them. */
export function startLedgers(parts: LedgerParts): Ledgers {
  const followed = parts.networks.map((network) => follow(network, parts));
  const sources = followed.map(({ label, hub, node, pace }) => {
    return { network: label, hub, node, pollMs: pace.pollMs };
  });
  return {
    followed,
    sources,
    starts: createLedgerStarts(sources, parts.logFailure),
    close: () => {
      for (const { hub } of followed) hub.close();
    },
  };
}

function follow(network: Network, { config: { grpc }, logFailure, share, ...parts }: LedgerParts) {
  const { label, upstream, child, pace: ledgerPace, readYourWrites } = network;
  const segments = child === undefined ? parts.segments : undefined;
  const node = createLedgerNode(upstream, grpc.max_block_bytes, segments?.bytes.noteReply);
  const pace = createStreamPace(grpc, ledgerPace);
  const shared = share?.(network, pace);
  const hub = createHub({
    node,
    pace,
    shared,
    lingerMs: grpc.linger_ms,
    history: { maxSlots: grpc.history_slots, maxBytes: Number(grpc.history_bytes) },
    generation: () => child?.restarts ?? 0,
    onFailure: (error) => logFailure(label, error),
    segments: segments?.of(label, { node, pace, kept: shared?.kept }),
  });
  return { label, hub, node, pace, readYourWrites };
}
