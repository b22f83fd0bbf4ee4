import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Envelope } from '../../../src/core/rpc/call.ts';
import { parseBody } from '../../../src/core/rpc/parse-body.ts';
import { rounds } from '../../support/tier.ts';

const LIMITS = { maxBatchCalls: 100 };

/** The content of an envelope, whatever body it lies in. */
function shown(envelope: Envelope | undefined): unknown {
  if (envelope?.kind !== 'call') return envelope && { id: envelope.id, error: envelope.error.code };
  const { raw, paramsAt, ...call } = envelope.call;
  const params = paramsAt && raw.toString('utf8', paramsAt.start, paramsAt.end);
  return { ...call, raw: raw.toString(), paramsText: params };
}

function readSingle(text: string): Envelope | undefined {
  const message = parseBody(Buffer.from(text), LIMITS);
  return message.kind === 'single' ? message.envelope : undefined;
}

function readBatch(texts: readonly string[]): readonly Envelope[] {
  const message = parseBody(Buffer.from(`[${texts.join()}]`), LIMITS);
  return message.kind === 'batch' ? message.envelopes : [];
}

test('a message of a batch is read as it is by itself, whatever the others are', () => {
  const members = fc.subarray([
    '"jsonrpc":"2.0"',
    '"jsonrpc" : "2.0"',
    '"id":7',
    '"method":"getSlot"',
    '"method" : "getBlock"',
    '"params":[1]',
    '"params":{"a":[]}',
    '"extra":null',
  ]);
  const message = fc.tuple(members, fc.boolean()).map(([own, isSound]) => {
    const all = isSound ? ['"jsonrpc":"2.0"', '"id":8', '"method":"getSlot"', '"params":[2]'] : own;
    return `{${all.join()}}`;
  });
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (texts) => {
      expect(readBatch(texts).map(shown)).toEqual(texts.map((text) => shown(readSingle(text))));
    }),
    { numRuns: rounds(300) },
  );
});
