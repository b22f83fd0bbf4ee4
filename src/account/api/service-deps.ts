import type { Plan } from '../plans/plan.ts';
import type { PlanBook } from '../plans/plan-book.ts';
import type { CreateLimitBook } from '../plans/wallet-create-limit.ts';
import type { UseLimitBook } from '../plans/wallet-use-limit.ts';
import type { NetworkDrift } from '../../gateway/ledger/drift/network-drift.ts';
import type { Consensus } from '../../gateway/nodes/pool/consensus.ts';
import type { NodeStatus } from '../../gateway/nodes/pool/node-status.ts';
import type { PaceState } from '../../gateway/nodes/network/pace.ts';

/** A network as the account service shows it. */
export type WatchedNetwork = {
  readonly name: string;
  readonly environment: string;
  /** `<name>-<environment>`: names the network in counts. */
  readonly label: string;
  readonly rpcPath: string;
  /** Returns `ready`, `unhealthy` or the name of an error. */
  readonly probe: () => Promise<string>;
  readonly statuses: () => readonly NodeStatus[];
  readonly consensus: () => Consensus;
  readonly pace: () => PaceState;
  /** Returns the newest slot that a node announced or answered; undefined while none is known. */
  readonly newestSlot: () => number | undefined;
  readonly drift: Pick<NetworkDrift, 'snapshot' | 'unknownMethods'>;
};

/** The parts of the server that operators' operations and those on networks and limits act on. */
export type ServiceDeps = {
  readonly plans: PlanBook;
  readonly limits: CreateLimitBook;
  readonly useLimits: UseLimitBook;
  /** Describes the fault in the figures of a plan; undefined if they are valid. */
  readonly planFault: (figures: Pick<Plan, 'requestsPerSecond' | 'burst'>) => string | undefined;
  readonly watchedNetworks: readonly WatchedNetwork[];
  /** Stores the counts of calls by network that are not stored yet. */
  readonly flushCalls: () => Promise<void>;
};
