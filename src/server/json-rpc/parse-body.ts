import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../json.ts';
import { serviceError } from '../../service-error.ts';
import type { CallLimits, Envelope, Message } from './call.ts';
import { measureDepth, scanMembers, scanObjects } from '../../scan-json.ts';
import { isObject, readEnvelope } from './read-envelope.ts';

/** serde_json, which nodes parse with, refuses the 128th level of nesting. */
const MAX_DEPTH = 127;

/**
 * Parses a body into its messages, as a ledger node would (ledger-rpc-facts 2.2, 2.3): one object, or an array of
 * objects. What is wrong with a single message is in its envelope; `params` are not checked here.
 *
 * @throws ServiceError `bodyNotUtf8`; `batchTooLarge` above `maxBatchCalls`, before any of its items is read;
 *   `parseError` if the body is no JSON, no object or array of objects, nested deeper than nodes read, or holds an id that
 *   is neither a string, a number nor null.
 */
export function parseBody(body: Buffer, { maxBatchCalls }: Pick<CallLimits, 'maxBatchCalls'>): Message {
  if (!isUtf8(body)) throw serviceError('bodyNotUtf8');
  const value = parseText(body.toString('utf8'));
  if (isTooDeep(body)) throw serviceError('parseError');
  if (Array.isArray(value)) {
    if (value.length > maxBatchCalls)
      throw serviceError('batchTooLarge', { limit: maxBatchCalls, value: value.length });
    return { kind: 'batch', envelopes: readBatch(body, value) };
  }
  if (!isObject(value)) throw serviceError('parseError');
  const members = scanMembers(body) ?? [];
  return { kind: 'single', envelope: readEnvelope(body, { start: 0, end: body.length, members }, value) };
}

/** Every level takes two bytes: most bodies are too short to be too deep. */
function isTooDeep(body: Buffer): boolean {
  return body.length > 2 * MAX_DEPTH && measureDepth(body) > MAX_DEPTH;
}

function readBatch(body: Buffer, values: readonly unknown[]): readonly Envelope[] {
  const objects = scanObjects(body);
  if (objects === undefined) throw serviceError('parseError');
  return objects.map((object, index) => {
    const value = values[index];
    if (!isObject(value)) throw serviceError('parseError');
    return readEnvelope(body, object, value);
  });
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw serviceError('parseError', {}, error);
  }
}
