import type { LedgerReply, Outcome } from './outcome.ts';
import { GATEWAY_HANDLERS } from '../../generated/ledger/gateway-handlers.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import type { Context } from '../rpc/context.ts';
import type { Call } from '../rpc/call.ts';
import { inTurn } from '../rpc/turns.ts';
import type { NodeVersions } from '../upstream/nodes/ledger-nodes.ts';
import type { NodeNeeds } from '../upstream/upstream.ts';
import { ALONE, type BatchUpstream } from '../upstream/with-batches.ts';
import { checkCall } from './check-call.ts';
import { forward } from './forward.ts';
import { needsOf } from './needs.ts';
import { serveRest } from './serve-rest.ts';
import { serveVersioned } from './serve-versioned.ts';

/** Serves the calls of one network; what is refused here never reaches a node. */
export type Ledger = {
  /** Serves a call. Throws ServiceError, or rejects with it. */
  readonly serve: (call: Call, context: Context) => Promise<LedgerReply>;
  /**
   * Serves reads that have different plain ids together, as one. Never rejects.
   *
   * @returns what each came to, in order; `alone`: it has not been served, and has to be by itself.
   */
  readonly serveTogether: (calls: readonly Call[], context: Context) => Promise<readonly Outcome[]>;
};

export type LedgerOptions = {
  readonly upstream: BatchUpstream;
  /** The environment of the network (`mainnet`, `devnet`, `localnet` …): some methods are refused in some. */
  readonly environment: string;
  /** What is known of the versions of its nodes. */
  readonly nodes: NodeVersions;
  /** Told of each member of params that went to a node of which it is not known whether it has it. */
  readonly onUnordered: (method: MethodName, member: string) => void;
};

const HANDLERS: Readonly<Partial<Record<MethodName, (context: Context) => string>>> = GATEWAY_HANDLERS;

/** Checks calls against the specification, answers them here or forwards them to a node as the bytes that came. */
export function createLedger(options: LedgerOptions): Ledger {
  const { upstream, environment, nodes, onUnordered } = options;
  return {
    serve: (call, context) => {
      const { signal, hold, turns } = context;
      const method = checkCall(call, environment);
      const handler = HANDLERS[method];
      if (handler !== undefined) return Promise.resolve({ kind: 'result', json: handler(context) });
      const send = (needs?: NodeNeeds) => forward(upstream, { method, call, signal, hold, turns, needs });
      const needs = needsOf(method, call.params);
      if (needs === undefined) return send();
      const { params } = call;
      return serveVersioned(needs, {
        ...{ nodes, send, params, hold, onUnordered: (member) => onUnordered(method, member) },
      });
    },
    serveTogether: (calls, owner) =>
      serveRest(
        calls,
        calls.map((call) => answerHere(call, environment, owner)),
        (rest) => inTurn(owner.turns, () => upstream.sendTogether(rest, owner)),
      ),
  };
}

/** What a call comes to without a node, or that it cannot go with others; undefined: it is one for a node. */
function answerHere(call: Call, environment: string, context: Context): Outcome | undefined {
  try {
    const method = checkCall(call, environment);
    if (needsOf(method, call.params) !== undefined) return ALONE;
    const handler = HANDLERS[method];
    return handler && { kind: 'result', json: handler(context) };
  } catch (error) {
    return { kind: 'failure', error };
  }
}
