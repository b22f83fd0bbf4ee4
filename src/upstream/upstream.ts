import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import type { CallSignal } from '../rpc/call-signal.ts';

/** What is known of whether one node takes batches. */
export type BatchTrust = {
  readonly mayTake: () => boolean;
  /** The node answered a client's batch of so many calls with anything but one: it is asked with one of ours, at most once a second. */
  readonly doubt: (size: number) => void;
};

/** Where a batch went, as it learns on its way. */
export type BatchRoute = {
  /** The node that it was sent to last. */
  taker?: BatchTrust;
  /** Whether a node was passed over because it takes no batches. */
  isTurnedAway?: boolean;
};

/** Stands for the method of a batch of reads. Its reply is a batch as well, which is not checked. */
export const BATCH = 'batch';

/** What a call needs of the node that takes it. */
export type NodeNeeds = {
  /** `major.minor` of the first version that has all of it. */
  readonly since: string;
  /** Called when a node takes it of which it is not known whether it has it. */
  readonly onUnknown: () => void;
};

/** One call on its way to a ledger node. */
export type UpstreamRequest = {
  /** The JSON-RPC message exactly as the node gets it. */
  readonly body: Buffer;
  readonly method: MethodName | typeof BATCH;
  /** The raw id token in `body`; undefined for a notification, which a node answers with an empty body, and for a batch. */
  readonly id: string | undefined;
  /** Aborted when the client has left: the call is given up at the node too. */
  readonly signal: CallSignal;
  /** Of a client's batch: where it went is written down there. */
  readonly route?: BatchRoute | undefined;
  /** Absent: any node will do. */
  readonly needs?: NodeNeeds | undefined;
};

/**
 * A ledger node behind us. `send` throws ServiceError `upstreamUnavailable` (nothing was sent), `upstreamBusy` or
 * `callTooLarge` (the node refused to run it), `upstreamBroken` (something may have run) or `upstreamTimeout`; an aborted
 * signal rejects with its reason.
 */
export type Upstream = {
  readonly send: (request: UpstreamRequest) => Promise<UpstreamReply>;
  readonly close: () => Promise<void>;
};
