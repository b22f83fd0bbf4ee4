import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../../generated/config.ts';
import type { Clock } from '../core/clock.ts';
import { createTracingMetrics } from '../operate/tracing/tracing-metrics.ts';
import type { OpenTracing } from '../operate/tracing/open-tracing.ts';
import { readVersion } from '../core/version.ts';

export type TracingParts = {
  readonly config: Pick<Config, 'tracing'>;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
};

/** A collector that is lost is logged once in this time. */
const QUIET_MS = 60_000;

/** Starts the export of traces, whose libraries are loaded for it; undefined if it is off. */
export async function startTracing(parts: TracingParts): Promise<OpenTracing | undefined> {
  const { config, registry, clock, log } = parts;
  const { endpoint, authorization, sample_per_million: samplePerMillion, traceparent } = config.tracing;
  if (endpoint === undefined) return undefined;
  const { openTracing } = await import('../operate/tracing/open-tracing.ts');
  const { countSpans } = createTracingMetrics(registry);
  let quietUntilMs = 0;
  return openTracing({
    endpoint,
    authorization,
    samplePerMillion,
    traceparent,
    version: readVersion(),
    onOutcome: (outcome, spans) => {
      countSpans(outcome, spans);
      if (outcome === 'exported' || clock.nowMs() < quietUntilMs) return;
      quietUntilMs = clock.nowMs() + QUIET_MS;
      log.warn({ outcome, spans }, 'spans are lost: the collector of traces does not take them');
    },
  });
}
