import { type CacheOptions, withCache } from '../../gateway/ledger/cache/with-cache.ts';
import { createLedger, type Ledger, type LedgerOptions } from '../../gateway/ledger/ledger.ts';
import type { Hub } from '../../gateway/ledger/subscriptions/hub.ts';
import { withSubscriptions } from '../../gateway/ledger/subscriptions/with-subscriptions.ts';
import { withCallSpans } from '../../gateway/ledger/with-call-spans.ts';
import { withTrace } from '../../gateway/ledger/with-trace.ts';
import type { Upstream } from '../../gateway/nodes/upstream.ts';
import type { Tracing } from '../../core/tracing.ts';
import {
  type ExpensiveBoundsOptions,
  withExpensiveBounds,
} from '../../server/access/with-expensive-bounds.ts';
import { type CallRulesOf, withAllowedMethods } from '../../server/access/with-allowed-methods.ts';
import { type MeteringOptions, withMetering } from '../../server/access/meter.ts';
import { type ObservationOptions, withObservation } from '../../server/access/with-observation.ts';

export type LedgerCallParts = {
  readonly metering: MeteringOptions;
  readonly callRulesOf: CallRulesOf;
  readonly bounds: ExpensiveBoundsOptions;
  readonly tracing: Tracing | undefined;
  readonly observation: ObservationOptions;
  readonly hub: Hub;
  /** Undefined: no answer is kept. */
  readonly cache: CacheOptions | undefined;
  /** An embedded ledger that serves localnet_trace. */
  readonly traced: Upstream | undefined;
  readonly node: LedgerOptions;
};

/**
 * The layers of a ledger call, outermost first, with the names of the README's picture. A message of HTTP or of a WebSocket has passed
 * these before:
 *
 * - `accept`: `server/connections/`, `server/tls/`
 * - `read`: `server/http/router.ts`; a WebSocket opens in `server/websocket/upgrades.ts`
 * - `authenticate`: `server/access/authenticate.ts`
 * - `parse`: `core/rpc/parse-body.ts`
 * - `admit`: `server/access/admission.ts`; called, as the two before, by `server/json-rpc/rpc-endpoint.ts` and
 *   `server/websocket/socket-session.ts`
 */
export function createLedgerPipeline(parts: LedgerCallParts): Ledger {
  const { cache } = parts;
  const layers: readonly (readonly [name: string, layer: (next: Ledger) => Ledger])[] = [
    ['meter', (next) => withMetering(next, parts.metering)],
    ['allow', (next) => withAllowedMethods(next, parts.callRulesOf)],
    ['bound', (next) => withExpensiveBounds(next, parts.bounds)],
    ['span', (next) => withCallSpans(next, parts.tracing)],
    ['observe', (next) => withObservation(next, parts.observation)],
    ['subscribe', (next) => withSubscriptions(next, parts.hub)],
    ['cache', (next) => (cache === undefined ? next : withCache(next, cache))],
    ['trace', (next) => withTrace(next, parts.traced)],
  ];
  const checkAndForward = createLedger(parts.node);
  return layers.reduceRight((next, [, layer]) => layer(next), checkAndForward);
}
