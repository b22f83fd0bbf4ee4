import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswerSlot } from '../../../../src/gateway/ledger/read-your-writes/answer-slot.ts';

const read = (text: string) => readAnswerSlot({ answers: 'context' }, Buffer.from(text));

test.each([
  [
    'as Agave prints it',
    '{"jsonrpc":"2.0","result":{"context":{"apiVersion":"4.4.0","slot":348},"value":1},"id":1}',
    348,
  ],
  ['without a version', '{"jsonrpc":"2.0","result":{"context":{"slot":0},"value":1},"id":1}', 0],
  [
    'with the slot first',
    '{"jsonrpc":"2.0","result":{"context":{"slot":348,"apiVersion":"4.4.0"},"value":1},"id":1}',
    348,
  ],
  ['with other members first', '{"id":1,"jsonrpc":"2.0","result":{"value":1,"context":{"slot":7}}}', 7],
  ['with spaces', '{ "jsonrpc": "2.0", "result": { "context": { "slot": 12 }, "value": 1 }, "id": 1 }', 12],
  [
    'with a slot in a text',
    '{"jsonrpc":"2.0","result":{"context":{"slot":5,"apiVersion":"\\"slot\\":9"},"value":1},"id":1}',
    5,
  ],
  [
    'with another member that ends so',
    '{"jsonrpc":"2.0","result":{"context":{"slot":5,"root_slot":4},"value":1},"id":1}',
    5,
  ],
  [
    'with a slot of 16 digits, which none has',
    '{"jsonrpc":"2.0","result":{"context":{"slot":1234567890123456},"value":1},"id":1}',
    1234567890123456,
  ],
  [
    'without a slot',
    '{"jsonrpc":"2.0","result":{"context":{"apiVersion":"4.4.0"},"value":1},"id":1}',
    undefined,
  ],
  ['without a context', '{"jsonrpc":"2.0","result":{"slot":4},"id":1}', undefined],
  ['that breaks off', '{"jsonrpc":"2.0","result":{"context":{"apiVersion":"4.4.0","slot":34', undefined],
])('the slot of an answer %s', (_, text, slot) => {
  expect(read(text).slot).toBe(slot);
});

test('whatever stands in its place, the slot is that of the context, or none', () => {
  const members = fc.dictionary(
    fc.constantFrom('slot', 'apiVersion', 'root', 'parent"slot'),
    fc.oneof(fc.nat(), fc.string(), fc.constant(null)),
  );
  fc.assert(
    fc.property(members, fc.jsonValue(), (context, value) => {
      const { slot } = read(JSON.stringify({ jsonrpc: '2.0', result: { context, value }, id: 1 }));
      expect(slot).toBe(Number.isSafeInteger(context.slot) ? context.slot : undefined);
    }),
  );
});
