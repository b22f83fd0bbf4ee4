import type { LedgerReply, Outcome } from './outcome.ts';
import { GATEWAY_HANDLERS } from '../../../generated/ledger/gateway-handlers.ts';
import { isMethodName, type MethodName } from '../../../generated/ledger/methods.ts';
import { isSubscriptionName, isUnsubscribeName } from '../../../generated/ledger/subscriptions.ts';
import type { Context } from '../../core/rpc/context.ts';
import type { Call } from '../../core/rpc/call.ts';
import { serviceError } from '../../core/service-error.ts';
import { readWhole } from '../../core/rpc/read-whole.ts';
import { withPermit } from '../../core/rpc/semaphore.ts';
import { withClientId, withPlainId } from '../../core/rpc/parse-body.ts';
import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';
import type { NodeVersions } from '../nodes/network/ledger-nodes.ts';
import type { BatchRoute, NodeRequirements, Upstream } from '../nodes/upstream.ts';
import { judgeReply } from '../nodes/pool/judge-reply.ts';
import { NOT_BATCHED, type BatchUpstream } from '../nodes/with-batches.ts';
import { checkCall } from './check-call.ts';
import { needsOf, serveVersioned } from './serve-versioned.ts';
import type { ReadYourWrites, PreparedRead } from './read-your-writes/read-your-writes.ts';

/** Serves the calls of one network; calls refused here never reach a node. */
export type Ledger = {
  /** Serves a call. Throws ServiceError, or rejects with it. */
  readonly serve: (call: Call, context: Context) => Promise<LedgerReply>;
  /**
   * Serves reads with distinct plain ids together. Never rejects.
   *
   * @returns the outcome of each, in order; `alone`: it has not been served, and must be served on its own.
   */
  readonly serveBatch: (calls: readonly Call[], context: Context) => Promise<readonly Outcome[]>;
};

export type LedgerOptions = {
  readonly upstream: BatchUpstream;
  /** The environment of the network (`mainnet`, `devnet`, `localnet` …): some methods are refused in some. */
  readonly environment: string;
  /** The known versions of its nodes. */
  readonly nodes: NodeVersions;
  /** Lets readers see what they have seen; absent: any node's answer will do. */
  readonly readYourWrites?: ReadYourWrites | undefined;
  /** Called for each member of params that was sent to a node that may not support it. */
  readonly onUnordered: (method: MethodName, member: string) => void;
  /** Called for each call of a method that is not in the specification. */
  readonly onUnknownMethod: (method: string) => void;
};

const HANDLERS: Readonly<Partial<Record<MethodName, (context: Context) => string>>> = GATEWAY_HANDLERS;

/** Checks calls against the specification, answers them here or forwards them to a node as the received bytes. */
export function createLedger(options: LedgerOptions): Ledger {
  const { upstream, environment, nodes, readYourWrites, onUnordered, onUnknownMethod } = options;
  return {
    serve: (call, context) => {
      if (!isMethodName(call.method)) noteUnknown(call, onUnknownMethod);
      const method = checkCall(call, environment);
      const handler = HANDLERS[method];
      if (handler !== undefined) return Promise.resolve({ kind: 'result', json: handler(context) });
      const send = (needs?: NodeRequirements) =>
        forward(upstream, {
          method,
          call,
          context,
          needs,
          read: readYourWrites?.prepare(method, call, context),
        });
      const needs = needsOf(method, call.params);
      if (needs === undefined) return send();
      const { params } = call;
      return serveVersioned(needs, {
        nodes,
        send,
        params,
        hold: context.hold,
        onUnordered: (member) => onUnordered(method, member),
      });
    },
    serveBatch: (calls, owner) =>
      serveRemaining(
        calls,
        calls.map((call) => answerHere(call, options, owner)),
        (rest) => withPermit(owner.semaphore, () => sendBatched(rest, owner, options)),
      ),
  };
}

/** Over HTTP the methods of subscriptions do not exist, but the specification has them. Calls that are served together are known. */
function noteUnknown({ method, isNotification }: Call, note: (method: string) => void): void {
  if (!isNotification && !isSubscriptionName(method) && !isUnsubscribeName(method)) note(method);
}

/** Returns the outcome of a call that needs no node, or `alone` if it cannot be sent with others; undefined if it goes to a node. */
function answerHere(
  call: Call,
  { environment, readYourWrites }: LedgerOptions,
  context: Context,
): Outcome | undefined {
  try {
    const method = checkCall(call, environment);
    if (needsOf(method, call.params) !== undefined || readYourWrites?.isSentAlone(method)) return NOT_BATCHED;
    const handler = HANDLERS[method];
    return handler && { kind: 'result', json: handler(context) };
  } catch (error) {
    return { kind: 'failure', error };
  }
}

/** An error is judged by its code alone. */
const NO_JUDGE = {};

/**
 * A call is served on its own if its node was behind what its reader has seen or does not have what it asks, or if the calls failed
 * together for a slot that this one does not ask for.
 */
async function sendBatched(
  calls: readonly Call[],
  owner: Context,
  { upstream, readYourWrites }: LedgerOptions,
): Promise<readonly Outcome[]> {
  if (readYourWrites === undefined) return upstream.sendBatched(calls, owner);
  const reach = readYourWrites.reachTogether(calls, owner);
  const shown = readYourWrites.batched(owner);
  const route: BatchRoute = { size: calls.length };
  const outcomes = await upstream.sendBatched(calls, { ...owner, reach, route });
  const judged = outcomes.map((outcome, index) => {
    const call = calls[index];
    if (call !== undefined && outcome.kind === 'failure')
      return readYourWrites.isFailed(call, outcome.error) ? outcome : NOT_BATCHED;
    if (call === undefined || outcome.kind !== 'whole') return outcome;
    const judgement = outcome.isError ? judgeReply(outcome, NO_JUDGE) : shown.take(call, outcome.body);
    return judgement === 'good' ? outcome : NOT_BATCHED;
  });
  shown.note(route.noteSlot);
  return judged;
}

export type ForwardOptions = {
  readonly method: MethodName;
  readonly call: Call;
  readonly context: Context;
  readonly needs: NodeRequirements | undefined;
  readonly read: PreparedRead | undefined;
};

/**
 * Sends a checked call to a node as the received bytes and returns the node's bytes. An id that nodes reject is sent as 0 and
 * restored in the reply, which is held in memory for that.
 */
export async function forward(upstream: Upstream, options: ForwardOptions): Promise<UpstreamReply> {
  const { method, call, context, needs, read } = options;
  const { signal, semaphore, accountId } = context;
  if (!call.isNotification && !call.idIsPlain) return await forwardWithPlainId(upstream, options);
  const id = call.isNotification ? undefined : call.id;
  const request = { body: call.raw, method, id, signal, accountId, needs, ...read };
  const reply = await withPermit(semaphore, () => upstream.send(request));
  read?.note(reply);
  return reply;
}

async function forwardWithPlainId(
  upstream: Upstream,
  { method, call, context, needs, read }: ForwardOptions,
): Promise<UpstreamReply> {
  const { signal, hold, semaphore, accountId } = context;
  const { reach } = read ?? {};
  const late = reach?.late && { ...reach.late, body: withPlainId(reach.late.body) };
  const plain = { body: withPlainId(read?.body ?? call.raw), reach: reach && { ...reach, late } };
  const request = { method, id: '0', signal, accountId, needs, ...read, ...plain };
  const reply = await withPermit(semaphore, () => upstream.send(request));
  read?.note(reply);
  const body = withClientId(await readWhole(reply, hold), call.id);
  if (body === undefined) throw serviceError('upstreamBroken');
  const isError = reply.kind === 'whole' && reply.isError;
  return { kind: 'whole', body, isError, isHeld: true, node: reply.node };
}

/** Serves the calls that have no outcome yet. @returns the outcomes of all, in the order of the calls. */
export async function serveRemaining(
  calls: readonly Call[],
  known: readonly (Outcome | undefined)[],
  serve: (rest: readonly Call[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const rest = calls.filter((_, place) => known[place] === undefined);
  const served = rest.length === 0 ? [] : await serve(rest);
  if (rest.length === calls.length) return served;
  let next = 0;
  return known.map((outcome) => outcome ?? served[next++] ?? NOT_BATCHED);
}

/** Serves the calls together but for those that must be served alone. */
export function serveWithout(
  isAlone: (call: Call) => boolean,
  calls: readonly Call[],
  serve: (rest: readonly Call[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  // Most batches have none: nothing is made for them.
  if (!calls.some(isAlone)) return serve(calls);
  return serveRemaining(
    calls,
    calls.map((call) => (isAlone(call) ? NOT_BATCHED : undefined)),
    serve,
  );
}
