import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';
import { isUnanswered } from '../../nodes/pubsub-connection.ts';
import type { PubsubSession } from '../../nodes/pubsub-link.ts';
import { needsOf, tooOld } from '../serve-versioned.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import { parseJson, type Member, scanMembers } from '../../../core/rpc/json.ts';

/** The id that stands for the link's own slot subscription, which always exists. */
const OWN_SLOTS = 'own';
/** A subscription that was pending this many times when the node was lost, and at each of the nodes, may be the cause. */
const LEAST_ATTEMPTS = 2;
/** Where none of the nodes answers calls of a kind, each is left for that once in this time: the other subscriptions move with it. */
const LEFT_MS = 60_000;

export type NodeSubscriptionsOptions = {
  /** The nodes that subscriptions can be made at. */
  readonly nodes: () => readonly unknown[];
  /** Called for a subscription that the node had, and does not accept again. */
  readonly onFailure: (error: unknown) => void;
  /** Called for each member of params that was sent to a node that may not support it. */
  readonly onUnordered: (name: SubscriptionName, member: string) => void;
};

/** Makes and ends subscriptions at the connected node. */
export class NodeSubscriptions {
  readonly #options: NodeSubscriptionsOptions;
  /** When nodes were left because they answered no calls of a kind. */
  readonly #leftMs = new Map<SubscriptionName, readonly number[]>();

  constructor(options: NodeSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Subscribes at the node. Callers that wait for a new subscription get the node's error. Never rejects: a subscription that
   * the node has not accepted then has no id.
   */
  async open(shared: SharedSubscription, session: PubsubSession): Promise<void> {
    const { connection, slots } = session;
    const { info, paramsText, take } = shared;
    if (shared.isEnded || !connection.isOpen) return;
    if (info.name === 'slotSubscribe') {
      slots.takers.add(take);
      return this.#taken(shared, OWN_SLOTS, session);
    }
    const askedMs = performance.now();
    // Left is a node that answers no calls of this kind; where no other one is left, only a node that answers nothing.
    const sign =
      shared.attempts + 1 < this.#maxAttempts() && this.#mayLeave(info.name) ? info.name : undefined;
    try {
      shared.prepare = this.#resultPreparation(shared, session);
      const answer = await connection.subscribe(info.name, paramsText, take, sign);
      if (answer.kind === 'subscribed') this.#taken(shared, answer.id, session);
      else if (shared.isOpened)
        this.#options.onFailure(new Error(`${info.name} is refused: ${answer.error}`));
      else shared.opened.resolve(answer.error);
    } catch (error) {
      shared.attempts++;
      if (isUnanswered(error) && !connection.hasAnswered(askedMs, sign)) {
        this.#leftMs.set(info.name, [...this.#leftLately(info.name), performance.now()]);
        connection.end('silent');
      }
      if (shared.isOpened) this.#options.onFailure(error);
      else if (connection.isOpen || shared.attempts >= this.#maxAttempts()) this.#fail(shared, error);
    }
  }

  /** True if there is another node, and not all of them were left for this kind lately. */
  #mayLeave(name: SubscriptionName): boolean {
    return this.#leftLately(name).length < this.#options.nodes().length - 1;
  }

  #leftLately(name: SubscriptionName): readonly number[] {
    const sinceMs = performance.now() - LEFT_MS;
    return (this.#leftMs.get(name) ?? []).filter((leftMs) => leftMs > sinceMs);
  }

  #maxAttempts(): number {
    return Math.max(LEAST_ATTEMPTS, this.#options.nodes().length);
  }

  /** Returns the gateway's own processing of results for an older node. @throws ServiceError `nodeTooOld` */
  #resultPreparation(
    { info, params }: SharedSubscription,
    { known }: PubsubSession,
  ): SharedSubscription['prepare'] {
    const needs = needsOf(info.name, params);
    const has = needs === undefined ? true : known.has(needs.since);
    if (needs === undefined || has === true) return undefined;
    if (has === undefined) {
      for (const { name } of needs.members) this.#options.onUnordered(info.name, name);
      return undefined;
    }
    const slice = needs.members.every(({ fallback }) => fallback === 'slice')
      ? sliceResults(info.name, params)
      : undefined;
    if (slice === undefined) throw tooOld(needs, { versions: () => [known.version ?? ''] });
    return slice;
  }

  /** Ends a subscription at the node. */
  close(shared: SharedSubscription, session: PubsubSession | undefined): void {
    const { nodeId, info, take } = shared;
    shared.nodeId = undefined;
    if (nodeId === undefined || session === undefined) return;
    if (nodeId === OWN_SLOTS) session.slots.takers.delete(take);
    else session.connection.unsubscribe(info.unsubscribe, nodeId, take);
  }

  /** Forgets a subscription that the node has ended itself. */
  forget(shared: SharedSubscription, session: PubsubSession | undefined): void {
    if (shared.nodeId !== undefined) session?.connection.forget(shared.nodeId, shared.take);
    shared.nodeId = undefined;
  }

  #taken(shared: SharedSubscription, id: string, session: PubsubSession): void {
    shared.nodeId = id;
    shared.attempts = 0;
    shared.announcedSlot = session.newestSlot();
    if (shared.isEnded) {
      this.close(shared, session);
      return;
    }
    shared.isOpened = true;
    shared.opened.resolve(undefined);
  }

  #fail(shared: SharedSubscription, error: unknown): void {
    shared.opened.promise.catch(() => undefined);
    shared.opened.reject(
      error instanceof ServiceError ? error : serviceError('upstreamUnavailable', {}, error),
    );
  }
}

type Slice = { readonly offset: number | bigint; readonly length: number | bigint };
type Config = { readonly encoding?: unknown; readonly dataSlice?: Slice };

/** The path to the account in a result. */
const ACCOUNT_PATHS: Readonly<Partial<Record<SubscriptionName, readonly string[]>>> = {
  accountSubscribe: ['value'],
  programSubscribe: ['value', 'account'],
};

/**
 * Returns a function that slices the account data in a subscription's results, as its config asks and newer nodes do: exact for
 * base-64, in which nodes also show what they cannot parse. Undefined if that is impossible: other encodings do not give enough
 * of the unsliced data.
 */
function sliceResults(
  name: SubscriptionName,
  params: readonly unknown[],
): ((result: Buffer) => Buffer) | undefined {
  const { encoding, dataSlice } = (params[1] ?? {}) as Config;
  const path = ACCOUNT_PATHS[name];
  const isSliceable = encoding === 'base64' || encoding === 'jsonParsed';
  if (path === undefined || dataSlice === undefined || !isSliceable) return undefined;
  return (result) => rewrite(result, [...path, 'data'], (data) => slicedData(data, dataSlice));
}

/** Returns the text with the value at the end of the path replaced; unchanged if the path does not exist. */
function rewrite(text: Buffer, path: readonly string[], change: (value: Buffer) => Buffer): Buffer {
  const [name, ...rest] = path;
  if (name === undefined) return change(text);
  const member = memberOf(text, name);
  if (member === undefined) return text;
  const { start, end } = member;
  return Buffer.concat([
    text.subarray(0, start),
    rewrite(text.subarray(start, end), rest, change),
    text.subarray(end),
  ]);
}

function memberOf(text: Buffer, name: string): Member | undefined {
  return scanMembers(text)?.findLast((member) => member.name === name);
}

/** Parsed data has no bytes to slice. */
function slicedData(data: Buffer, slice: Slice): Buffer {
  const pair = parseJson(data.toString());
  if (!Array.isArray(pair) || pair[1] !== 'base64' || typeof pair[0] !== 'string') return data;
  const bytes = Buffer.from(pair[0], 'base64');
  const start = clamp(slice.offset, bytes.length);
  const end = clamp(BigInt(start) + BigInt(slice.length), bytes.length);
  return Buffer.from(JSON.stringify([bytes.toString('base64', start, end), 'base64']));
}

function clamp(value: number | bigint, most: number): number {
  return Number(BigInt(value) < BigInt(most) ? value : most);
}
