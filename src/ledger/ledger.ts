import { GATEWAY_HANDLERS } from '../../generated/ledger/gateway-handlers.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import type { Context } from '../context.ts';
import type { Call } from '../server/json-rpc/call.ts';
import type { Upstream, UpstreamReply } from '../upstream/upstream.ts';
import { checkCall } from './check-call.ts';
import { forward } from './forward.ts';

/**
 * The JSON text of a result that the gateway made itself, or a node's reply with the client's id in it. `cacheStatus`: what
 * the cache did (RFC 9211, the parameters of a Cache-Status), where it had a say.
 */
export type LedgerReply = ({ readonly kind: 'result'; readonly json: string } | UpstreamReply) & {
  readonly cacheStatus?: string;
};

/** Serves the calls of one network. Throws ServiceError, or rejects with it; what is refused here never reaches a node. */
export type Ledger = { readonly serve: (call: Call, context: Context) => Promise<LedgerReply> };

export type LedgerOptions = {
  readonly upstream: Upstream;
  /** The environment of the network (`mainnet`, `devnet`, `localnet` …): some methods are refused in some. */
  readonly environment: string;
};

const HANDLERS: Readonly<Partial<Record<MethodName, () => string>>> = GATEWAY_HANDLERS;

/** Checks a call against the specification, answers it here or forwards it to a node as the bytes that came. */
export function createLedger({ upstream, environment }: LedgerOptions): Ledger {
  return {
    serve: (call, { signal, hold, group }) => {
      const method = checkCall(call, environment);
      const handler = HANDLERS[method];
      if (handler !== undefined) return Promise.resolve({ kind: 'result', json: handler() });
      return forward(upstream, { method, call, signal, hold, group });
    },
  };
}
