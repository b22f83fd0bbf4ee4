import type { RequestMark } from '../request-id.ts';
import type { CallSignal } from './call-signal.ts';
import type { MemoryLease } from './reply-memory.ts';
import type { Listener } from './notification.ts';
import type { Semaphore } from './semaphore.ts';

/** The caller's side of a request: its cancellation, memory and listeners. */
export type Context = {
  readonly keyId: string;
  readonly accountId: string;
  /** One of several users behind the key, if the client tells them apart. */
  readonly session?: string | undefined;
  /** The request that the call came with; absent: it is not logged. */
  readonly mark?: RequestMark | undefined;
  /** Aborted when the client has disconnected. */
  readonly signal: CallSignal;
  /** The request's share of the reply memory; released when its answer has been sent. */
  readonly hold: MemoryLease;
  /** Limits the calls of a batch in flight at a node; undefined for a single call, or one that already has its turn. */
  readonly semaphore?: Semaphore | undefined;
  /** Returns the address that the client requested, without its query; undefined where unknown. */
  readonly askedAt?: (() => string) | undefined;
  /** Receives notifications of the call's subscriptions; undefined over HTTP, which has none. */
  readonly listener?: Listener;
};
