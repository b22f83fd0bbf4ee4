import { TraceFlags } from '@opentelemetry/api';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';

/** The end of a span: sent to the collector, refused or unreachable there, or not sent because too many waited. */
export type SpanOutcome = 'exported' | 'failed' | 'dropped';

export type ProcessorOptions = {
  readonly exporter: SpanExporter;
  /** Most spans that wait for the collector or are on their way to it. */
  readonly maxWaiting: number;
  readonly exportTimeoutMs: number;
  readonly onOutcome: (outcome: SpanOutcome, spans: number) => void;
};

const BATCH_SPANS = 512;
const DELAY_MS = 1_000;
const SUCCESS = 0;

/** Creates a processor that exports spans in batches, holds a bounded number of them, drops the others, and counts all. */
export function createBoundedProcessor(options: ProcessorOptions): SpanProcessor {
  const { exporter, maxWaiting, exportTimeoutMs, onOutcome } = options;
  let waiting = 0;
  const counted: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        waiting -= spans.length;
        onOutcome(result.code === SUCCESS ? 'exported' : 'failed', spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    ...{ exporter: counted, exportTimeoutMillis: exportTimeoutMs, scheduledDelayMillis: DELAY_MS },
    ...{ maxExportBatchSize: BATCH_SPANS, maxQueueSize: maxWaiting },
  });
  return {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting >= maxWaiting) {
        onOutcome('dropped', 1);
        return;
      }
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
