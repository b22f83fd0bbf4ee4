import type { Duplex } from 'node:stream';
import { startDeadline } from '../../core/deadline.ts';
import { type Frame, FrameReader, encodeFrame, writeHead } from '../wire/frame.ts';
import type { Operation } from '../wire/operations.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { ByteReader } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { decodeFailure, SUCCEEDED } from '../wire/failures.ts';

/** Maximum number of requests with a signer, and of waiting ones. Further requests are refused at once. */
const MAX_SENT = 128;
const MAX_WAITING = 4_096;
/** Maximum number of requests, and of keys in them, that one account may have in flight. A single request may have more keys. */
const SHARE = { requests: 64, keys: 512 };
/** The gateway's own requests, which are not limited. */
const OWN: RequestShare = { accountId: '', keys: 1 };
/** A request is sent to the current signer, and once more if that signer dies. */
const MAX_SENDS = 2;

export type QueueOptions = {
  readonly nowMs: () => number;
  /** Called when a deadline passed and the signer has sent nothing since the request: it hangs. */
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
  /** Closes for good: no further signer will start. */
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

  /** Takes an answer; ignores one to a request that was given up. @throws ProtocolError for bytes that are not an answer. */
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

/** The socket to one signer. */
export type SignerLink = {
  /** False while the signer takes no more bytes, and once it has gone. */
  readonly isWritable: boolean;
  readonly send: (frame: Buffer) => void;
  /** Tells the signer to exit. */
  readonly end: () => void;
};

type LinkEvents = {
  /** May throw an error, which breaks the link. */
  readonly onFrame: (frame: Frame) => void;
  readonly onWritable: () => void;
  /** The bytes were not an answer: the signer may be out of step. */
  readonly onBroken: (error: Error) => void;
};

/** Reads frames from a signer's socket. The death of a signer is reported by its process, not here. */
export function openLink(socket: Duplex, { onFrame, onWritable, onBroken }: LinkEvents): SignerLink {
  const frames = new FrameReader();
  let isBlocked = false;
  socket.on('data', (bytes: Buffer) => {
    try {
      for (const frame of frames.take(bytes)) onFrame(frame);
    } catch (error) {
      socket.destroy();
      onBroken(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('drain', () => {
    isBlocked = false;
    onWritable();
  });
  socket.on('error', () => socket.destroy());
  return {
    get isWritable() {
      return socket.writable && !isBlocked;
    },
    send: (frame) => {
      if (!socket.write(frame)) isBlocked = true;
    },
    end: () => void socket.end(),
  };
}

/** Requests that wait for the signer, in one queue per account. The accounts take turns. */
class WaitingRequests {
  readonly #queues = new Map<string, PendingRequest[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(pending: PendingRequest): void {
    this.#queueOf(pending).push(pending);
    this.#size += 1;
  }

  /** Puts requests before all others, in their order. */
  putFirst(requests: readonly PendingRequest[]): void {
    const later = [...this.#queues];
    this.#queues.clear();
    for (const pending of requests) this.#queueOf(pending).push(pending);
    for (const [accountId, queue] of later)
      this.#queues.set(accountId, [...(this.#queues.get(accountId) ?? []), ...queue]);
    this.#size += requests.length;
  }

  /** Takes the next request that may be sent: the oldest one of the account whose last turn is longest ago. */
  take(maySend: (pending: PendingRequest) => boolean): PendingRequest | undefined {
    for (const [accountId, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !maySend(first)) continue;
      this.#queues.delete(accountId);
      queue.shift();
      if (queue.length > 0) this.#queues.set(accountId, queue);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  /** Takes the newest request of the account with the longest queue; undefined if `accountId` would have as long a one. */
  takeFromLongest(accountId: string): PendingRequest | undefined {
    let longest = this.#queues.get(accountId) ?? [];
    const ownLength = longest.length;
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    const newest = longest.at(-1);
    if (newest === undefined || longest.length <= ownLength + 1) return undefined;
    this.drop(newest);
    return newest;
  }

  /** Removes a request, if it waits. */
  drop(pending: PendingRequest): void {
    const queue = this.#queues.get(pending.accountId);
    const at = queue?.indexOf(pending) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(pending.accountId);
  }

  /** Takes all of them. */
  clear(): readonly PendingRequest[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return all;
  }

  #queueOf({ accountId }: PendingRequest): PendingRequest[] {
    const known = this.#queues.get(accountId);
    if (known !== undefined) return known;
    const queue: PendingRequest[] = [];
    this.#queues.set(accountId, queue);
    return queue;
  }
}

/** A request without an answer yet. */
type PendingRequest = {
  readonly id: number;
  /** The account that it is for; '' for the gateway's own requests. */
  readonly accountId: string;
  /** Number of keys that it creates or uses, which is its cost. */
  readonly keys: number;
  readonly deadlineAtMs: number;
  /** Number of sends, each to another signer. */
  sends: number;
  sentAtMs: number;
  readonly encode: (nowMs: number) => Buffer;
  /** Takes the answer. @throws ProtocolError for an answer that does not fit the operation. */
  readonly settle: (answer: Frame) => void;
  /** Ends it without an answer. The caller gets `reason`. */
  readonly fail: (reason: unknown) => void;
};

/** The account of a request, and its cost. */
export type RequestShare = Pick<PendingRequest, 'accountId' | 'keys'>;

type PendingOptions = Partial<RequestShare> & { readonly id: number; readonly nowMs: number };

/** Creates a request of an operation, and the promise of its answer. */
export function pendingRequest<Q, A>(
  { code, deadlineMs, request, answer }: Operation<Q, A>,
  asked: Q,
  { id, nowMs, accountId = '', keys = 1 }: PendingOptions,
): { readonly pending: PendingRequest; readonly answered: Promise<A> } {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const deadlineAtMs = nowMs + deadlineMs;
  const pending: PendingRequest = {
    id,
    accountId,
    keys,
    deadlineAtMs,
    sends: 0,
    sentAtMs: 0,
    encode: (atMs) => {
      const writer = new ByteWriter();
      writeHead(writer, {
        isRepeat: pending.sends > 1,
        remainingMs: Math.max(0, Math.round(deadlineAtMs - atMs)),
      });
      request.write(writer, asked);
      return encodeFrame({ id, code, payload: writer.done() });
    },
    settle: (frame) => {
      if (frame.code !== SUCCEEDED) return reject(decodeFailure(frame.code, frame.payload));
      const content = new ByteReader(frame.payload);
      const value = answer.read(content);
      content.end();
      resolve(value);
    },
    fail: reject,
  };
  return { pending, answered: promise };
}

/** Returns `signerUnavailable`, with a reason for the log. */
export const unavailable = (reason: string): ServiceError =>
  serviceError('signerUnavailable', {}, new Error(reason));
