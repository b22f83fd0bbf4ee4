import type { CallSignal } from './call-signal.ts';
import type { ReplyHold } from './reply-memory.ts';
import type { Listener } from './notification.ts';
import type { Turns } from './turns.ts';

/** Who calls, and for how long anyone is interested in the answer. */
export type Context = {
  readonly keyId: string;
  readonly accountId: string;
  /** Aborted when the client has left. */
  readonly signal: CallSignal;
  /** What the request holds of replies in memory; given back when its answer has gone. */
  readonly hold: ReplyHold;
  /** Whose turn it is of what a batch sends to the node; undefined where there is only one call, or it has its turn. */
  readonly turns?: Turns | undefined;
  /** The address that was asked, as far as it is known, without its query; undefined where nobody says. */
  readonly askedAt?: (() => string) | undefined;
  /** Who hears what the call subscribes to; undefined over HTTP, where nobody can. */
  readonly listener?: Listener;
};
