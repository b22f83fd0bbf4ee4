import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type SpanContext,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  ParentBasedSampler,
  TracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { toServiceError } from '../../core/service-error.ts';
import type { OpenSpan, SpanStart, Tracing } from '../../core/tracing.ts';

export type TracingOptions = Pick<ProcessorOptions, 'onOutcome'> & {
  /** The URL that spans are posted to, as OTLP in JSON. */
  readonly endpoint: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string | undefined;
  readonly samplePerMillion: number;
  /** `ignore`; `parent`: a caller's span is the parent; `sample`: it also decides whether the trace is sampled. */
  readonly traceparent: 'ignore' | 'parent' | 'sample';
  readonly version: string;
};

export type OpenTracing = Tracing & {
  /** Sends waiting spans for at most two seconds. Never rejects. */
  readonly close: () => Promise<void>;
};

const MILLION = 1_000_000;
/** About 2 MB of memory: the sampled requests of a few seconds of a busy server. */
const MAX_WAITING = 4_096;
const EXPORT_TIMEOUT_MS = 5_000;
const CLOSE_MS = 2_000;

/** Opens the export of spans. It is loaded only where tracing is on: see `startTracing`. */
export function openTracing(options: TracingOptions): OpenTracing {
  const { traceparent: takes, samplePerMillion } = options;
  const isDrawn = (): boolean => Math.random() * MILLION < samplePerMillion;
  const provider = createProvider(options);
  const tracer = provider.getTracer('keyslot', options.version);
  const current = new AsyncLocalStorage<Span | undefined>();
  const run = <T>(span: Span, work: (span: OpenSpan) => Promise<T>): Promise<T> =>
    current.run(span, async () => {
      try {
        return await work({ set: (attributes) => void span.setAttributes(attributes) });
      } catch (thrown) {
        span.setAttributes({ 'error.type': toServiceError(thrown).code });
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw thrown;
      } finally {
        span.end();
      }
    });
  let closing: Promise<void> | undefined;
  return {
    request: ({ name, attributes = {}, traceparent }, work) => {
      const parent = takes === 'ignore' ? undefined : readTraceparent(traceparent);
      // Most requests end here, at no cost. Callers must not choose by their trace id which requests are traced.
      if ((parent === undefined || takes === 'parent') && !isDrawn())
        return current.getStore() === undefined
          ? work(UNTRACED)
          : current.run(undefined, () => work(UNTRACED));
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
      return span.isRecording() ? run(span, work) : current.run(undefined, () => work(UNTRACED));
    },
    part: ({ name, attributes = {} }: SpanStart, work) => {
      const parent = current.getStore();
      // Work that outlives its request, such as a subscription at a node, is not part of its trace.
      if (parent?.isRecording() !== true) return work(UNTRACED);
      const kind = name === 'node call' ? SpanKind.CLIENT : SpanKind.INTERNAL;
      return run(tracer.startSpan(name, { kind, attributes }, trace.setSpan(ROOT_CONTEXT, parent)), work);
    },
    close: () => (closing ??= closeSoon(provider)),
  };
}

/** Sends the waiting spans for two seconds at most; the rest is lost. */
async function closeSoon(provider: TracerProvider): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_MS);
  // Spans that could not be sent have been counted.
  await Promise.race([provider.shutdown().catch(ignore), late]);
  clearTimeout(timer);
}

function createProvider(options: TracingOptions): TracerProvider {
  const { endpoint: url, authorization, traceparent, version, onOutcome } = options;
  const exporter = new OTLPTraceExporter({
    url,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    headers: authorization === undefined ? {} : { authorization },
  });
  const root = new AlwaysOnSampler();
  return new TracerProvider({
    // Requests that get here have been sampled, except those whose caller decides.
    sampler: traceparent === 'sample' ? new ParentBasedSampler({ root }) : root,
    // Reveals nothing about the machine.
    resource: resourceFromAttributes({
      'service.name': 'keyslot',
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
    spanProcessors: [
      createBoundedProcessor({
        exporter,
        maxWaiting: MAX_WAITING,
        exportTimeoutMs: EXPORT_TIMEOUT_MS,
        onOutcome,
      }),
    ],
  });
}

const ignore = (): void => undefined;
const UNTRACED: OpenSpan = { set: ignore };

/** W3C Trace Context, section 3.2: version, trace id, id of the parent, flags. Later versions may have more behind. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** Reads the header `traceparent`; undefined if it is invalid. `tracestate` is ignored. */
function readTraceparent(header: string | readonly string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(header.trim()) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

/** The outcome of a span: exported; refused by or unable to reach the collector; or dropped because too many were waiting. */
type SpanOutcome = 'exported' | 'failed' | 'dropped';

type ProcessorOptions = {
  readonly exporter: SpanExporter;
  /** Most spans that wait for the collector or are on their way to it. */
  readonly maxWaiting: number;
  readonly exportTimeoutMs: number;
  readonly onOutcome: (outcome: SpanOutcome, spans: number) => void;
};

const BATCH_SPANS = 512;
const DELAY_MS = 1_000;
const SUCCESS = 0;

/** Creates a processor that exports spans in batches, queues a bounded number, drops the rest, and counts all of them. */
function createBoundedProcessor(options: ProcessorOptions): SpanProcessor {
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
    exporter: counted,
    exportTimeoutMillis: exportTimeoutMs,
    scheduledDelayMillis: DELAY_MS,
    maxExportBatchSize: BATCH_SPANS,
    maxQueueSize: maxWaiting,
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
