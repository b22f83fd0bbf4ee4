import { GATEWAY_HANDLERS } from '../../generated/ledger/gateway-handlers.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import type { Context } from '../context.ts';
import type { Call } from '../server/json-rpc/call.ts';
import { inTurn } from '../upstream/turns.ts';
import type { UpstreamReply } from '../upstream/upstream.ts';
import type { Alone, BatchUpstream, Failure } from '../upstream/with-batches.ts';
import { checkCall } from './check-call.ts';
import { forward } from './forward.ts';
import { serveRest } from './serve-rest.ts';

/**
 * The JSON text of a result that the gateway made itself, or a node's reply with the client's id in it. `cacheStatus`: what
 * the cache did (RFC 9211, the parameters of a Cache-Status), where it had a say.
 */
export type LedgerReply = ({ readonly kind: 'result'; readonly json: string } | UpstreamReply) & {
  readonly cacheStatus?: string;
};

/** What a call that was served together with others came to. */
export type Outcome = LedgerReply | Failure | Alone;

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
};

const HANDLERS: Readonly<Partial<Record<MethodName, () => string>>> = GATEWAY_HANDLERS;

/** Checks calls against the specification, answers them here or forwards them to a node as the bytes that came. */
export function createLedger({ upstream, environment }: LedgerOptions): Ledger {
  return {
    serve: (call, { signal, hold, turns }) => {
      const method = checkCall(call, environment);
      const handler = HANDLERS[method];
      if (handler !== undefined) return Promise.resolve({ kind: 'result', json: handler() });
      return forward(upstream, { method, call, signal, hold, turns });
    },
    serveTogether: (calls, owner) =>
      serveRest(
        calls,
        calls.map((call) => answerHere(call, environment)),
        (rest) => inTurn(owner.turns, () => upstream.sendTogether(rest, owner)),
      ),
  };
}

/** What a call comes to without a node; undefined: it is one for a node. */
function answerHere(call: Call, environment: string): Outcome | undefined {
  try {
    const handler = HANDLERS[checkCall(call, environment)];
    return handler && { kind: 'result', json: handler() };
  } catch (error) {
    return { kind: 'failure', error };
  }
}
