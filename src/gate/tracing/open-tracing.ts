import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { toServiceError } from '../../base/service-error.ts';
import type { OpenSpan, SpanStart, Tracing } from '../../base/tracing.ts';
import { createBoundedProcessor, type ProcessorOptions } from './bounded-processor.ts';
import { readTraceparent } from './read-traceparent.ts';

export type TracingOptions = Pick<ProcessorOptions, 'onOutcome'> & {
  /** Where spans are sent: OTLP as JSON, by POST. */
  readonly endpoint: string;
  /** The value of the field `Authorization`. */
  readonly authorization?: string | undefined;
  readonly samplePerMillion: number;
  /** `ignore`; `parent`: a caller's span is the parent; `sample`: it also decides whether the trace is sampled. */
  readonly traceparent: 'ignore' | 'parent' | 'sample';
  readonly version: string;
};

export type OpenTracing = Tracing & {
  /** Sends what waits, for two seconds at most. Never rejects. */
  readonly close: () => Promise<void>;
};

const MILLION = 1_000_000;
/** About 2 MB of memory, and seconds of a busy server's sampled requests. */
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
      // Most requests end here: nothing is made for them. Which are traced is not for the caller to choose by his trace id.
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
      // What a request began may go on after it, such as a subscription at a node: that is no part of it.
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
  // What could not be sent has been counted.
  await Promise.race([provider.shutdown().catch(ignore), late]);
  clearTimeout(timer);
}

function createProvider(options: TracingOptions): TracerProvider {
  const { endpoint: url, authorization, traceparent, version, onOutcome } = options;
  const exporter = new OTLPTraceExporter({
    ...{ url, timeoutMillis: EXPORT_TIMEOUT_MS },
    headers: authorization === undefined ? {} : { authorization },
  });
  const root = new AlwaysOnSampler();
  return new TracerProvider({
    // Requests that come here have been drawn, but for those whose caller decides.
    sampler: traceparent === 'sample' ? new ParentBasedSampler({ root }) : root,
    // Says nothing of the machine.
    resource: resourceFromAttributes({
      ...{ 'service.name': 'keyslot', 'service.version': version, 'service.instance.id': randomUUID() },
    }),
    spanProcessors: [
      createBoundedProcessor({
        ...{ exporter, maxWaiting: MAX_WAITING, exportTimeoutMs: EXPORT_TIMEOUT_MS, onOutcome },
      }),
    ],
  });
}

const ignore = (): void => undefined;
const UNTRACED: OpenSpan = { set: ignore };
