import type { LedgerReply, Outcome } from './outcome.ts';
import { GATEWAY_HANDLERS } from '../../generated/ledger/gateway-handlers.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import type { Context } from '../rpc/context.ts';
import type { Call } from '../rpc/call.ts';
import { withPermit } from '../rpc/semaphore.ts';
import type { NodeVersions } from '../upstream/nodes/ledger-nodes.ts';
import type { NodeNeeds } from '../upstream/upstream.ts';
import { NOT_BATCHED, type BatchUpstream } from '../upstream/with-batches.ts';
import { checkCall } from './check-call.ts';
import { forward } from './forward.ts';
import { needsOf } from './needs.ts';
import { serveRemaining } from './serve-remaining.ts';
import { serveVersioned } from './serve-versioned.ts';

/** Serves the calls of one network; calls refused here never reach a node. */
export type Ledger = {
  /** Serves a call. Throws ServiceError, or rejects with it. */
  readonly serve: (call: Call, context: Context) => Promise<LedgerReply>;
  /**
   * Serves reads with distinct plain ids together. Never rejects.
   *
   * @returns the outcome of each, in order; `alone`: it has not been served, and must be served on its own.
   */
  readonly serveTogether: (calls: readonly Call[], context: Context) => Promise<readonly Outcome[]>;
};

export type LedgerOptions = {
  readonly upstream: BatchUpstream;
  /** The environment of the network (`mainnet`, `devnet`, `localnet` …): some methods are refused in some. */
  readonly environment: string;
  /** The known versions of its nodes. */
  readonly nodes: NodeVersions;
  /** Called for each member of params that was sent to a node that may not support it. */
  readonly onUnordered: (method: MethodName, member: string) => void;
};

const HANDLERS: Readonly<Partial<Record<MethodName, (context: Context) => string>>> = GATEWAY_HANDLERS;

/** Checks calls against the specification, answers them here or forwards them to a node as the received bytes. */
export function createLedger(options: LedgerOptions): Ledger {
  const { upstream, environment, nodes, onUnordered } = options;
  return {
    serve: (call, context) => {
      const { signal, hold, semaphore } = context;
      const method = checkCall(call, environment);
      const handler = HANDLERS[method];
      if (handler !== undefined) return Promise.resolve({ kind: 'result', json: handler(context) });
      const send = (needs?: NodeNeeds) => forward(upstream, { method, call, signal, hold, semaphore, needs });
      const needs = needsOf(method, call.params);
      if (needs === undefined) return send();
      const { params } = call;
      return serveVersioned(needs, {
        ...{ nodes, send, params, hold, onUnordered: (member) => onUnordered(method, member) },
      });
    },
    serveTogether: (calls, owner) =>
      serveRemaining(
        calls,
        calls.map((call) => answerHere(call, environment, owner)),
        (rest) => withPermit(owner.semaphore, () => upstream.sendTogether(rest, owner)),
      ),
  };
}

/** Returns the outcome of a call that needs no node, or `alone` if it cannot be sent with others; undefined if it goes to a node. */
function answerHere(call: Call, environment: string, context: Context): Outcome | undefined {
  try {
    const method = checkCall(call, environment);
    if (needsOf(method, call.params) !== undefined) return NOT_BATCHED;
    const handler = HANDLERS[method];
    return handler && { kind: 'result', json: handler(context) };
  } catch (error) {
    return { kind: 'failure', error };
  }
}
