import { isUtf8 } from 'node:buffer';
import { parseJson } from './json.ts';
import { serviceError } from '../base/service-error.ts';
import type { CallLimits, Envelope, Message } from './call.ts';
import { measureDepth, type ObjectSink, scanObject, scanObjects, type Span } from './scan-json.ts';
import { isObject, MessageMembers, readEnvelope } from './read-envelope.ts';

/** serde_json, which nodes parse with, rejects the 128th level of nesting. */
const MAX_DEPTH = 127;

/**
 * Parses a body into its messages, as a ledger node would (ledger-rpc-facts 2.2, 2.3): one object, or an array of objects. A
 * fault of a single message is in its envelope; `params` are not checked here.
 *
 * @throws ServiceError `bodyNotUtf8`; `batchTooLarge` above `maxBatchCalls`, before any item is read; `parseError` if the body
 *   is not JSON, not an object or array of objects, nested deeper than nodes read, or holds an id that is neither a string, a
 *   number nor null.
 */
export function parseBody(body: Buffer, { maxBatchCalls }: Pick<CallLimits, 'maxBatchCalls'>): Message {
  if (!isUtf8(body)) throw serviceError('bodyNotUtf8');
  const value = parseText(body.toString('utf8'));
  if (!Array.isArray(value)) return { kind: 'single', envelope: readSingle(body, value) };
  if (value.length > maxBatchCalls) {
    if (isTooDeep(body, wholeOf(body), MAX_DEPTH)) throw serviceError('parseError');
    throw serviceError('batchTooLarge', { limit: maxBatchCalls, value: value.length });
  }
  const batch = new BatchReader(body, value);
  if (!scanObjects(body, batch)) throw serviceError('parseError');
  return { kind: 'batch', envelopes: batch.envelopes };
}

function readSingle(body: Buffer, value: unknown): Envelope {
  const members = new MessageMembers();
  const span = wholeOf(body);
  if (!isObject(value) || isTooDeep(body, span, MAX_DEPTH) || !scanObject(body, members))
    throw serviceError('parseError');
  return readEnvelope(body, span, members, value);
}

function wholeOf(body: Buffer): Span {
  return { start: 0, end: body.length };
}

/** Every level takes two bytes: most messages are too short to be too deep. */
function isTooDeep(body: Buffer, { start, end }: Span, limit: number): boolean {
  return end - start > 2 * limit && measureDepth(body.subarray(start, end)) > limit;
}

/** Reads the messages of a batch while its bytes are scanned. */
class BatchReader implements ObjectSink {
  readonly envelopes: Envelope[] = [];
  readonly #body: Buffer;
  readonly #values: readonly unknown[];
  readonly #members = new MessageMembers();

  constructor(body: Buffer, values: readonly unknown[]) {
    this.#body = body;
    this.#values = values;
  }

  onMember(name: string, start: number, end: number): void {
    this.#members.onMember(name, start, end);
  }

  onObject(start: number, end: number): void {
    const value = this.#values[this.envelopes.length];
    if (!isObject(value) || isTooDeep(this.#body, { start, end }, MAX_DEPTH - 1))
      throw serviceError('parseError');
    this.envelopes.push(readEnvelope(this.#body, { start, end }, this.#members, value));
    this.#members.forget();
  }
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw serviceError('parseError', {}, error);
  }
}
