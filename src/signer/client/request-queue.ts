import { startDeadline } from '../../base/deadline.ts';
import type { Frame } from '../wire/frame.ts';
import type { Operation } from '../wire/operations.ts';
import type { SignerLink } from './signer-link.ts';
import { type PendingRequest, pendingRequest, type RequestShare, unavailable } from './pending-request.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** Maximum number of requests with a signer, and of waiting ones. Further requests are refused at once. */
const MAX_SENT = 128;
const MAX_WAITING = 4_096;
/** The most requests, and keys in them, that one account may have in flight. A single request may have more keys. */
const SHARE = { requests: 64, keys: 512 };
/** The gateway's own requests, which are not limited. */
const OWN: RequestShare = { accountId: '', keys: 1 };
/** A request is sent to the current signer, and once more if that signer dies. */
const MAX_SENDS = 2;

export type QueueOptions = {
  readonly nowMs: () => number;
  /** Called when a deadline has passed and the signer has sent nothing since the request: it hangs. */
  readonly onStuck: () => void;
};

/** Sends requests to whichever signer is running, and takes its answers. */
export type SignerClient = {
  /** Attaches a running signer. */
  readonly attach: (link: SignerLink) => void;
  /** Detaches a dead signer. */
  readonly detach: () => void;
  /** Takes an answer. @throws ProtocolError for bytes that are not an answer. */
  readonly take: (answer: Frame) => void;
  /** Continues when the signer takes bytes again. */
  readonly resume: () => void;
  /** Gives up: no signer will come. */
  readonly close: () => void;
};

/** Queues the gateway's requests across restarts of the signer. Accounts take turns: none waits for the whole queue of another. */
export class RequestQueue implements SignerClient {
  readonly #options: QueueOptions;
  readonly #sent = new Map<number, PendingRequest>();
  readonly #waiting = new WaitingRequests();
  readonly #shares = new Map<string, { requests: number; keys: number }>();
  #link: SignerLink | undefined;
  #lastId = 0;
  #heardAtMs = 0;
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /**
   * Sends a request as soon as there is a signer. When the queue is full, the account with the most waiting requests loses its newest.
   *
   * @throws ServiceError the signer's error; `signerUnavailable` when the deadline passes, two signers died over it, or too many requests
   *   wait. When `signal` aborts, its reason is thrown.
   */
  async call<Q, A>(
    operation: Operation<Q, A>,
    asked: Q,
    signal?: AbortSignal,
    share: RequestShare = OWN,
  ): Promise<A> {
    if (this.#isClosed) throw unavailable('the signer is stopped');
    if (this.#waiting.size >= MAX_WAITING) {
      const refused = this.#waiting.takeFromLongest(share.accountId);
      const reason = unavailable('too many requests wait for the signer');
      if (refused === undefined) throw reason;
      refused.fail(reason);
    }
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1;
    const nowMs = this.#options.nowMs();
    const { pending, answered } = pendingRequest(operation, asked, { ...share, id: this.#lastId, nowMs });
    const endWait = startDeadline(operation.deadlineMs, () => this.#expire(pending));
    const abort = (): void => this.#drop(pending, signal?.reason);
    signal?.addEventListener('abort', abort);
    this.#waiting.push(pending);
    if (signal?.aborted === true) abort();
    this.#pump();
    try {
      return await answered;
    } finally {
      endWait();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Attaches a running signer and sends it the waiting requests. */
  attach(link: SignerLink): void {
    this.#link = link;
    this.#pump();
  }

  /** Detaches a dead signer: its unanswered requests are sent once more, before everything else. */
  detach(): void {
    this.#link = undefined;
    const lost = [...this.#sent.values()];
    this.#sent.clear();
    this.#shares.clear();
    for (const pending of lost) {
      if (pending.sends >= MAX_SENDS)
        pending.fail(unavailable('the signer exited twice while handling the request'));
    }
    this.#waiting.putFirst(lost.filter(({ sends }) => sends < MAX_SENDS));
  }

  /** Takes an answer; ignores one that nobody waits for. @throws ProtocolError for bytes that are not an answer. */
  take(answer: Frame): void {
    this.#heardAtMs = this.#options.nowMs();
    const pending = this.#sent.get(answer.id);
    if (pending === undefined) return;
    pending.settle(answer);
    this.#release(pending);
    this.#pump();
  }

  /** Continues when the signer takes bytes again. */
  resume(): void {
    this.#pump();
  }

  close(): void {
    this.#isClosed = true;
    this.#link = undefined;
    for (const pending of [...this.#sent.values(), ...this.#waiting.clear()])
      pending.fail(unavailable('the signer is stopped'));
    this.#sent.clear();
    this.#shares.clear();
  }

  #pump(): void {
    while (this.#link?.isWritable === true && this.#sent.size < MAX_SENT) {
      const pending = this.#waiting.take((next) => this.#maySend(next));
      if (pending === undefined) return;
      const share = this.#shareOf(pending);
      share.requests += 1;
      share.keys += pending.keys;
      const nowMs = this.#options.nowMs();
      pending.sends += 1;
      pending.sentAtMs = nowMs;
      this.#sent.set(pending.id, pending);
      this.#link.send(pending.encode(nowMs));
    }
  }

  #expire(pending: PendingRequest): void {
    const isStuck = this.#sent.has(pending.id) && this.#heardAtMs < pending.sentAtMs;
    this.#drop(pending, unavailable('no answer in time'));
    if (isStuck) this.#options.onStuck();
  }

  #drop(pending: PendingRequest, reason: unknown): void {
    this.#release(pending);
    this.#waiting.drop(pending);
    pending.fail(reason);
    this.#pump();
  }

  #maySend({ accountId, keys }: PendingRequest): boolean {
    const share = this.#shares.get(accountId);
    if (share === undefined || accountId === OWN.accountId) return true;
    return share.requests < SHARE.requests && share.keys + keys <= SHARE.keys;
  }

  #shareOf({ accountId }: PendingRequest): { requests: number; keys: number } {
    const known = this.#shares.get(accountId);
    if (known !== undefined) return known;
    const share = { requests: 0, keys: 0 };
    this.#shares.set(accountId, share);
    return share;
  }

  /** Releases the account's share of a request that was in flight. */
  #release(pending: PendingRequest): void {
    if (!this.#sent.delete(pending.id)) return;
    const share = this.#shareOf(pending);
    share.requests -= 1;
    share.keys -= pending.keys;
    if (share.requests === 0) this.#shares.delete(pending.accountId);
  }
}
