import type { Config } from '../../generated/config.ts';
import type { LogFailure } from '../gate/failure-log.ts';
import { createHub, type Hub } from '../stream/hub.ts';
import { createLedgerNode, type LedgerNode } from '../stream/ledger-node.ts';
import { createStreamPace, type StreamPace } from '../stream/stream-pace.ts';
import { createLedgerStarts, type LedgerStarts } from '../webhooks/ledger/ledger-starts.ts';
import type { LedgerSource } from '../webhooks/ledger/ledger-source.ts';
import type { Network } from './start-network.ts';

/** A network whose blocks are followed while somebody reads them. */
export type FollowedNetwork = {
  readonly label: string;
  readonly hub: Hub;
  readonly node: LedgerNode;
  readonly pace: StreamPace;
};

/** The blocks of every network, for topic streams and webhooks. */
export type Ledgers = {
  readonly followed: readonly FollowedNetwork[];
  /** The same as webhooks get events of them. */
  readonly sources: readonly LedgerSource[];
  readonly starts: LedgerStarts;
  readonly close: () => void;
};

/** Opens the blocks of every network. Nothing is read before somebody reads them. */
export function startLedgers(
  networks: readonly Network[],
  config: Pick<Config, 'grpc'>,
  logFailure: LogFailure,
): Ledgers {
  const followed = networks.map((network) => follow(network, config, logFailure));
  const sources = followed.map(({ label, hub, node, pace }) => {
    return { network: label, hub, node, pollMs: pace.pollMs };
  });
  return {
    ...{ followed, sources, starts: createLedgerStarts(sources, logFailure) },
    close: () => {
      for (const { hub } of followed) hub.close();
    },
  };
}

function follow(
  { label, upstream, child, pace: ledgerPace }: Network,
  { grpc }: Pick<Config, 'grpc'>,
  logFailure: LogFailure,
): FollowedNetwork {
  const node = createLedgerNode(upstream, grpc.max_block_bytes);
  const pace = createStreamPace(grpc, ledgerPace);
  const hub = createHub({
    ...{ node, pace, lingerMs: grpc.linger_ms },
    history: { maxSlots: grpc.history_slots, maxBytes: Number(grpc.history_bytes) },
    generation: () => child?.restarts ?? 0,
    onFailure: (error) => logFailure(label, error),
  });
  return { label, hub, node, pace };
}
