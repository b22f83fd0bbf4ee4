import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';
import type { MethodName } from '../../../generated/ledger/methods.ts';
import type { CallSignal } from '../../core/rpc/call-signal.ts';
import type { Commitment, Slots } from '../../core/rpc/commitment.ts';
import type { ServiceError } from '../../core/service-error.ts';

/** Tracks whether one node takes batches. */
export type BatchSupport = {
  readonly mayTake: () => boolean;
  /**
   * Called when the node answered a client's batch of `size` calls with anything but a batch: probes it with a batch of the
   * gateway's own, at most once a second.
   */
  readonly reprobe: (size: number) => void;
};

/** The route of a batch, filled in on its way. */
export type BatchRoute = {
  /** The number of its calls. */
  readonly size: number;
  /** The node that it was sent to last. */
  taker?: BatchSupport;
  /** True if a node was skipped because it takes no batches. */
  isTurnedAway?: boolean;
  /** Notes a slot that the node of the answer is shown to have; set with the answer. */
  noteSlot?: (shown: SlotFloor) => void;
};

/** The method name of a batch of reads. Its reply is a batch as well, which is not checked. */
export const BATCH = 'batch';

/** The requirements of a call on its node. */
export type NodeRequirements = {
  /** `major.minor` of the first version that supports all of them. */
  readonly since: string;
  /** Called when the node that takes the call may not support them. */
  readonly onUnknown: () => void;
};

/** A slot at a commitment. */
export type SlotFloor = { readonly commitment: Commitment; readonly slot: number };

/** The slots that a node must have reached to be asked. */
export type Reach = {
  readonly floors: readonly SlotFloor[];
  /** Most milliseconds to wait for a node that has reached them. */
  readonly waitMs: number;
  /** Returns the error if no node has by then, given the newest slots that any node has. */
  readonly tooFar: (best: Slots) => ServiceError;
  /** The call for a node with history that others lack, sent after the wait; absent: the call fails. */
  readonly late?: Pick<UpstreamRequest, 'body' | 'reach'> | undefined;
};

/**
 * A judgement of a node's reply: `behind`: the node has not reached the requested slot; `absent`: it does not have the data, but
 * another node may; `failed`: it reports a failure.
 */
export type Judgement = 'good' | 'behind' | 'absent' | 'failed';

/** One call on its way to a ledger node. */
export type UpstreamRequest = {
  /** The JSON-RPC message exactly as it is sent to the node. */
  readonly body: Buffer;
  readonly method: MethodName | typeof BATCH;
  /** The raw id token in `body`; undefined for a notification, which a node answers with an empty body, and for a batch. */
  readonly id: string | undefined;
  /** Aborted when the client has disconnected: the call is cancelled at the node too. */
  readonly signal: CallSignal;
  /** The account of the call; absent: the gateway itself. */
  readonly accountId?: string | undefined;
  /** Set for a client's batch: records where it went. */
  readonly route?: BatchRoute | undefined;
  /** Absent: any node will do. */
  readonly needs?: NodeRequirements | undefined;
  /** A node that is behind is not asked. Absent: any slot will do. */
  readonly reach?: Reach | undefined;
  /** The oldest slot that it reads, 0 for any: only nodes that have it, or else those that go back furthest, are asked. */
  readonly oldestSlot?: number | undefined;
  /** Returns the slot that a reply shows its node to have; undefined if it shows none. */
  readonly slotOf?: ((reply: UpstreamReply) => SlotFloor | undefined) | undefined;
  /** Judges the reply of a node: another node may have a better one. */
  readonly judge?: ((reply: UpstreamReply) => Judgement) | undefined;
  /** Returns how much is missing in a reply that was judged `absent`; absent: each is as good as the first. */
  readonly lacks?: ((reply: UpstreamReply) => number) | undefined;
  /** True if it asks for a slot that no node can have soon: a refusal is then the answer. */
  readonly isFarAhead?: boolean | undefined;
};

/**
 * A ledger node. `send` throws ServiceError `upstreamUnavailable` (nothing was sent), `upstreamBusy` or `callTooLarge` (the
 * node refused to run it), `upstreamBroken` (something may have run) or `upstreamTimeout`; an aborted signal rejects with its
 * reason.
 */
export type Upstream = {
  readonly send: (request: UpstreamRequest) => Promise<UpstreamReply>;
  readonly close: () => Promise<void>;
};

/** The internal cause of an `upstreamBroken` whose connection broke: the only failure after which a read is retried. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}

/** The internal cause of an `upstreamTimeout` of a call that never got a connection, which is no sign of the node's health. */
export class UnsentCall extends Error {
  override readonly name = 'UnsentCall';
}
