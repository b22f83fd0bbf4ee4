import fc from 'fast-check';
import { METHODS } from '../../generated/ledger/methods.ts';
import { callText, oddId, plainId, rawJson, space } from './arbitraries.ts';

/** Calls of every method and of none, with params that fit or do not. */
const call = fc
  .tuple(
    space,
    fc.oneof(plainId, oddId, rawJson),
    fc.constantFrom(...Object.keys(METHODS), 'nope', '__proto__', 'constructor'),
    fc.oneof(fc.constantFrom('[]', '{}', 'null', '[5]', '[{"commitment":"finalized"}]'), rawJson),
  )
  .map(([gap, id, method, params]) => callText(gap, id, method, params));

const batch = fc.array(fc.oneof(call, rawJson), { maxLength: 30 }).map((calls) => `[${calls.join(',')}]`);

const DEEP = [100, 126, 127, 128, 129, 5_000];

/** Nested to one side and the other of what is read, closed or not, alone or within a call. */
const deep = fc
  .tuple(fc.constantFrom('[', '{"a":'), fc.constantFrom(...DEEP), fc.boolean(), fc.boolean())
  .map(([open, depth, isClosed, isInCall]) => {
    const close = open === '[' ? ']' : '}';
    const text = `${open.repeat(depth)}1${isClosed ? close.repeat(depth) : ''}`;
    return isInCall ? callText('', '1', 'getSlot', text) : text;
  });

/** A change of some bytes, at a part of their length from 0 to 1. */
export type Change = {
  readonly at: number;
  readonly kind: 'cut' | 'flip' | 'insert' | 'drop';
  readonly byte: number;
};

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('cut', 'flip', 'insert', 'drop'),
  byte: fc.oneof(
    fc.nat({ max: 255 }),
    fc.constantFrom(0, 0x22, 0x5b, 0x5d, 0x5c, 0x7b, 0x7d, 0x2c, 0xc3, 0xff),
  ),
});

/** The bytes as they are, or with a few of them cut off, changed, put in (UTF-8 or not) or left out. */
export function mutated(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.array(change, { maxLength: 3 }))
    .map(([start, changes]) => changes.reduce(changed, start));
}

/** The bytes with one change. */
export function changed(bytes: Buffer, { at, kind, byte }: Change): Buffer {
  const index = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, index);
  switch (kind) {
    case 'cut':
      return before;
    case 'flip':
      return Buffer.concat([before, Buffer.of(byte), bytes.subarray(index + 1)]);
    case 'insert':
      return Buffer.concat([before, Buffer.of(byte), bytes.subarray(index)]);
    case 'drop':
      return Buffer.concat([before, bytes.subarray(index + 1)]);
  }
}

/** Bodies of every kind that a server is sent by mistake or in bad faith. */
export const hostileBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: mutated(call.map((text) => Buffer.from(text))) },
  { weight: 3, arbitrary: mutated(batch.map((text) => Buffer.from(text))) },
  { weight: 1, arbitrary: mutated(rawJson.map((text) => Buffer.from(text))) },
  { weight: 1, arbitrary: deep.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
