import { Counter, type Registry } from 'prom-client';

/** Counts of spans by outcome. */
export type TracingMetrics = {
  readonly countSpans: (outcome: 'exported' | 'failed' | 'dropped', spans: number) => void;
};

/** Adds the metrics of traces to a registry. */
export function createTracingMetrics(registry: Registry): TracingMetrics {
  const spans = new Counter({
    name: 'keyslot_trace_spans_total',
    help: 'Spans that the collector took, that could not be sent to it, and that were dropped because too many waited',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['exported', 'failed', 'dropped']) spans.inc({ outcome }, 0);
  return { countSpans: (outcome, count) => spans.inc({ outcome }, count) };
}
