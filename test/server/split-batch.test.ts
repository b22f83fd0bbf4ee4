import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Envelope } from '../../src/core/rpc/call.ts';
import { parseBody } from '../../src/core/rpc/parse-body.ts';
import { type PlacedCall, splitBatch } from '../../src/server/json-rpc/answer-batch.ts';

const call = (id: string, method = 'getSlot'): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const light = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, id) => call(String(id)));

function envelopesOf(items: readonly string[]): readonly Envelope[] {
  const message = parseBody(Buffer.from(`[${items.join()}]`), { maxBatchCalls: Math.max(1, items.length) });
  return message.kind === 'batch' ? message.envelopes : [];
}

const placesOf = (calls: readonly PlacedCall[]): readonly number[] => calls.map(({ place }) => place);

function split(items: readonly string[]) {
  const { groups, alone } = splitBatch(envelopesOf(items));
  return { groups: groups.map(placesOf), alone: placesOf(alone) };
}

test('light reads with different plain ids are a group; all others are alone, and what is no call is neither', () => {
  const items = [
    call('1'),
    call('2', 'getSupply'),
    call('"1"'),
    call('1'),
    call('-1'),
    call('"\\u0031"'),
    call('3', 'requestAirdrop'),
    call('4', 'nope'),
    call('5', 'slotSubscribe'),
    '{"jsonrpc":"2.0","method":"getSlot"}',
    '{"id":6}',
    call('null'),
  ];
  expect(split(items)).toEqual({ groups: [[0, 2, 11]], alone: [1, 3, 4, 5, 6, 7, 8, 9] });
});

test('the only light read is alone', () => {
  expect(split([call('1'), call('2', 'getSupply')])).toEqual({ groups: [], alone: [1, 0] });
  expect(split([])).toEqual({ groups: [], alone: [] });
});

test('a group is of at most 100 calls', () => {
  expect(split(light(100)).groups.map((group) => group.length)).toEqual([100]);
  expect(split(light(101))).toMatchObject({ groups: [{ length: 100 }], alone: [100] });
  expect(split(light(250)).groups.map((group) => group.length)).toEqual([100, 100, 50]);
});

test('the bytes of a group, commas included, are at most 48 KiB', () => {
  const sized = (id: number, sizeBytes: number): string =>
    call(`"${id}${'x'.repeat(sizeBytes - 1 - call('"0"').length)}"`).padEnd(sizeBytes - 1);
  const half = (48 * 1024) / 2;
  expect(split([sized(1, half), sized(2, half)]).groups).toEqual([[0, 1]]);
  expect(split([sized(1, half), sized(2, half + 1)])).toEqual({ groups: [], alone: [0, 1] });
  expect(split([sized(1, 2 * half + 1), call('2'), call('3')])).toEqual({ groups: [[1, 2]], alone: [0] });
});

test('every call is in one place, whatever the batch', () => {
  const ids = fc.constantFrom('1', '2', '"a"', 'null', '-1', '1.5', '18446744073709551616');
  const methods = fc.constantFrom('getSlot', 'getBalance', 'getSupply', 'sendTransaction', '__proto__', '');
  const item = fc.oneof(
    fc.tuple(ids, methods).map(([id, method]) => call(id, method)),
    fc.constantFrom('{}', '{"jsonrpc":"2.0","method":"getSlot"}'),
    fc.nat(300).map((id) => call(String(id))),
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 300, size: 'max' }), (items) => {
      const envelopes = envelopesOf(items);
      const { groups, alone } = splitBatch(envelopes);
      const calls = envelopes.flatMap(({ kind }, place) => (kind === 'call' ? [place] : []));
      expect([...groups.flat(), ...alone].map(({ place }) => place).sort((a, b) => a - b)).toEqual(calls);
      for (const { place, call } of [...groups.flat(), ...alone])
        expect(envelopes[place]).toMatchObject({ call });
      for (const group of groups) {
        expect(new Set(group.map(({ call }) => call.id)).size).toBe(group.length);
        expect(group.length).toBeGreaterThan(1);
      }
    }),
  );
});
