import type { SpanContext } from '@opentelemetry/api';

/** W3C Trace Context, section 3.2: version, trace id, id of the parent, flags. Later versions may have more behind. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** Reads the header `traceparent`; undefined for one that is not valid. `tracestate` is not taken over. */
export function readTraceparent(header: string | readonly string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(header.trim()) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}
