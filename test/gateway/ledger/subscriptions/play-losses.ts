import { vi } from 'vitest';
import { CommitmentClock } from '../../../../src/gateway/ledger/subscriptions/commitment-clock.ts';
import type { AskedNode } from '../../../../src/gateway/ledger/subscriptions/node-reads.ts';
import { backfill } from '../../../../src/gateway/ledger/subscriptions/restore.ts';
import { createResumePoints } from '../../../../src/gateway/ledger/subscriptions/resume-points.ts';
import { SharedSubscription } from '../../../../src/gateway/ledger/subscriptions/shared-subscription.ts';
import { SignatureChecks } from '../../../../src/gateway/ledger/subscriptions/signature-checks.ts';

/** A node at a time: how far its notifications are behind the chain, and how far its answers are behind those. */
export type NodeState = {
  readonly lag: number;
  /** Slots that all its answers are older than what it announces. */
  readonly age: number;
  /** Slots that the state of an account is older than what it says of its slot. */
  readonly stale: number;
  /** Milliseconds for which nothing of it comes after it has taken a subscription: it is slow, or this process is. */
  readonly quietMs: number;
};

export type LossStep =
  /** `count` slots begin; those at the places `changes`, counted from the first, change the account. */
  | { readonly kind: 'slots'; readonly count: number; readonly changes: readonly number[] }
  /** The node holds back what it has to notify. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  /** Its connection ends, and the subscription moves to a node that is elsewhere. */
  | { readonly kind: 'move'; readonly to: NodeState; readonly isLostMeanwhile: boolean }
  | { readonly kind: 'pass'; readonly ms: number };

export type Watched = 'accountSubscribe' | 'logsSubscribe' | 'programSubscribe' | 'slotSubscribe';

const SOUND: NodeState = { lag: 0, age: 0, stale: 0, quietMs: 0 };
const SLOT_MS = 400;
const DEPTH = 2;
const ADDRESS = '11111111111111111111111111111111';
const PARAMS: Readonly<Record<Watched, string>> = {
  accountSubscribe: `["${ADDRESS}",{"commitment":"confirmed","encoding":"base64"}]`,
  logsSubscribe: '["all",{"commitment":"confirmed"}]',
  programSubscribe: `["${ADDRESS}",{"commitment":"confirmed","encoding":"base64"}]`,
  slotSubscribe: '[]',
};
const none = (): void => undefined;
const IGNORE = {
  ...{ countNotification: none, countGap: none, countDrop: none, countPause: none },
  ...{ countLoss: none, watch: none },
};

/** Plays a history of one subscription that moves from node to node. @returns what was left out without a gap. */
export async function playLosses(watched: Watched, steps: readonly LossStep[]): Promise<readonly string[]> {
  return await new History(watched).play(steps);
}

class History {
  readonly #watched: Watched;
  readonly #shared: SharedSubscription;
  readonly #clock = new CommitmentClock({ slotsIn: (ms) => Math.ceil(ms / SLOT_MS) });
  /** The slots that change the account. */
  readonly #changes = new Set<number>();
  readonly #told: string[] = [];
  readonly #covered = new Set<number>();
  readonly #depth: number;
  #chain = 1_000;
  #node: NodeState = SOUND;
  #isHeld = false;
  /** The newest slot that the node has notified of, and announced. */
  #sent = 0;
  #announced: number | undefined;
  #life = 0;
  #hasAnnounced = Promise.withResolvers<void>();

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#depth = watched === 'slotSubscribe' ? 0 : DEPTH;
    this.#shared = new SharedSubscription({
      id: 1,
      name: watched,
      params: PARAMS[watched],
      metrics: IGNORE,
      onResult: none,
      onEnd: none,
      frame: (text) => text,
    });
    this.#shared.subscribers.add({
      accountId: 'a',
      reserve: none,
      release: none,
      forget: none,
      deliver: ({ frame }) => this.#take(String(frame)),
    });
  }

  async play(steps: readonly LossStep[]): Promise<readonly string[]> {
    const begun = this.#at(this.#depth);
    await this.#connect(false);
    for (const step of steps) {
      if (step.kind === 'pass') await vi.advanceTimersByTimeAsync(step.ms);
      else if (step.kind === 'slots') await this.#begin(step);
      else if (step.kind === 'hold') this.#isHeld = step.isHeld;
      else await this.#move(step);
    }
    if (this.#shared.missingFrom !== undefined)
      await this.#move({ kind: 'move', to: SOUND, isLostMeanwhile: false });
    this.#isHeld = false;
    this.#node = SOUND;
    const last = this.#at(this.#depth);
    // The next notification ends a gap that had no end yet.
    await this.#begin({ kind: 'slots', count: 4, changes: [0] });
    this.#clock.follow(undefined);
    for (const slot of this.#changesOf(begun + 1, last))
      if (!this.#covered.has(slot)) this.#told.push(`${this.#watched}: slot ${slot} was left out`);
    return this.#told;
  }

  /** The changes between two slots; every slot is a change of slots. */
  #changesOf(from: number, to: number): readonly number[] {
    const all = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
    return this.#watched === 'slotSubscribe' ? all : all.filter((slot) => this.#changes.has(slot));
  }

  /** The slot of the node's notifications at a depth, in slots. */
  #at(depth: number): number {
    return this.#chain - this.#node.lag - depth;
  }

  async #begin({ count, changes }: Extract<LossStep, { kind: 'slots' }>): Promise<void> {
    for (let at = 0; at < count; at++) {
      this.#chain++;
      if (changes.includes(at)) this.#changes.add(this.#chain);
      this.#notify();
      await vi.advanceTimersByTimeAsync(SLOT_MS);
    }
  }

  #notify(): void {
    if (this.#isHeld) return;
    const newest = this.#at(this.#depth);
    for (const slot of this.#changesOf(this.#sent + 1, newest)) this.#shared.take(this.#resultOf(slot, slot));
    this.#sent = Math.max(newest, this.#sent);
    const announced = this.#at(0);
    if (announced <= (this.#announced ?? 0)) return;
    this.#announced = announced;
    this.#hasAnnounced.resolve();
  }

  #resultOf(context: number, state: number): Buffer {
    const account = { lamports: state, data: ['', 'base64'], owner: ADDRESS, space: 0 };
    const value = {
      accountSubscribe: account,
      programSubscribe: { pubkey: ADDRESS, account },
      logsSubscribe: { signature: `s${context}`, err: null, logs: [] },
      slotSubscribe: undefined,
    }[this.#watched];
    if (value === undefined) return Buffer.from(`{"slot":${context},"parent":${context - 1},"root":1}`);
    return Buffer.from(JSON.stringify({ context: { slot: context }, value }));
  }

  async #move({ to, isLostMeanwhile }: Extract<LossStep, { kind: 'move' }>): Promise<void> {
    this.#life++;
    const settled =
      this.#announced === undefined
        ? undefined
        : this.#watched === 'slotSubscribe'
          ? this.#announced - 1
          : this.#clock.settled('confirmed', this.#announced);
    this.#clock.follow(undefined);
    this.#shared.lose(settled);
    this.#node = to;
    this.#isHeld = false;
    await this.#connect(isLostMeanwhile);
  }

  /** As the hub does it: the baseline, the subscription, then what was missed. */
  async #connect(isLostMeanwhile: boolean): Promise<void> {
    const life = this.#life;
    const shared = this.#shared;
    const node: AskedNode = {
      upstream: { send: async ({ body }) => this.#answer(String(body)), close: async () => undefined },
      isCurrent: () => this.#life === life,
      pace: { slotsIn: (ms) => Math.ceil(ms / SLOT_MS) },
      limitMs: 10_000,
    };
    this.#announced = undefined;
    this.#hasAnnounced = Promise.withResolvers();
    const session = { hasAnnounced: this.#hasAnnounced.promise, newestSlot: () => this.#announced };
    this.#clock.follow(node);
    if (!shared.isOpened) shared.baseline = await this.#clock.latest('confirmed');
    const isLost = shared.missingFrom !== undefined;
    if (isLost) shared.hold();
    this.#sent = this.#at(this.#depth);
    shared.nodeId = '1';
    shared.isOpened = true;
    if (!isLost) return void shared.resume();
    const checks = new SignatureChecks(() => undefined);
    const pointAt = createResumePoints(node, session);
    const onFailure = (error: unknown): void => void this.#told.push(`failed: ${String(error)}`);
    const restored = backfill([shared], { node, pointAt, checks, onFailure });
    let isOver = false;
    void restored.finally(() => {
      isOver = true;
    });
    for (let round = 0; round < 120 && !isOver; round++) {
      if ((round * SLOT_MS) / 4 >= this.#node.quietMs) this.#notify();
      if (isLostMeanwhile && round === 1) return;
      await vi.advanceTimersByTimeAsync(SLOT_MS / 4);
      if (round % 4 === 3) this.#chain++;
    }
    await restored;
  }

  #answer(body: string) {
    const { method, params } = JSON.parse(body) as { method: string; params: readonly unknown[] };
    const { age, stale } = this.#node;
    const config = params.findLast((param) => typeof param === 'object') as
      | { commitment?: string }
      | undefined;
    const slot = this.#at(config?.commitment === 'processed' ? 0 : DEPTH) - age;
    const result = this.#resultOfCall(method, params, slot, stale);
    return {
      kind: 'whole' as const,
      isError: false,
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', result, id: 1 })),
    };
  }

  #resultOfCall(method: string, params: readonly unknown[], slot: number, stale: number): unknown {
    if (method === 'getSlot') return slot;
    if (method === 'getBlocks') {
      const [from, to] = params as readonly [number, number];
      return Array.from({ length: Math.max(0, Math.min(to, slot) - from + 1) }, (_, index) => from + index);
    }
    if (method === 'getBlock') return this.#block(Number(params[0]));
    const shown = slot - stale;
    const state = Math.max(0, ...[...this.#changes].filter((each) => each <= shown));
    const account = { lamports: state, data: ['', 'base64'], owner: ADDRESS, space: 0 };
    const value = method === 'getAccountInfo' ? account : [{ pubkey: ADDRESS, account }];
    return { context: { slot: shown }, value };
  }

  #block(slot: number) {
    if (!this.#changes.has(slot)) return { transactions: [] };
    const header = { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 };
    const message = { accountKeys: [ADDRESS], header, instructions: [] };
    const transaction = { signatures: [`s${slot}`], message };
    return { transactions: [{ transaction, meta: { err: null, logMessages: [] }, version: 'legacy' }] };
  }

  #take(text: string): void {
    const { method, params } = JSON.parse(text) as {
      readonly method: string;
      readonly params: {
        readonly fromSlot: number;
        readonly toSlot: number;
        readonly result: { readonly slot?: number; readonly context?: { readonly slot: number } };
      };
    };
    if (method !== 'gapNotification') {
      this.#covered.add(params.result.slot ?? params.result.context?.slot ?? 0);
      return;
    }
    // Only what is over can be missing: a gap of what comes says nothing of it.
    for (let slot = params.fromSlot; slot <= Math.min(params.toSlot, this.#chain - this.#depth); slot++)
      this.#covered.add(slot);
  }
}
