import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeArgs, newBudget } from '../../../src/localnet/trace/idl/decode-args.ts';
import { readIdl } from '../../../src/localnet/trace/idl/read-idl.ts';

const idlOf = (types: readonly unknown[], args: readonly unknown[]) =>
  readIdl({ instructions: [{ name: 'doIt', args } as never], types } as never);
const decode = (type: unknown, bytes: readonly number[], types: readonly unknown[] = []) => {
  const idl = idlOf(types, [{ name: 'value', type }]);
  return decodeArgs(idl.instructions[0]?.args ?? [], Uint8Array.from(bytes), idl)?.value;
};
const POINT = {
  name: 'Point',
  type: {
    kind: 'struct',
    fields: [
      { name: 'x', type: 'i16' },
      { name: 'y', type: 'u8' },
    ],
  },
};
const SHAPE = {
  name: 'Shape',
  type: {
    kind: 'enum',
    variants: [
      { name: 'Nothing' },
      { name: 'Dot', fields: [{ defined: { name: 'Point' } }] },
      { name: 'Circle', fields: [{ name: 'radius', type: 'u64' }] },
    ],
  },
};

test.each([
  ['i8', [255], -1n],
  ['u64', [255, 255, 255, 255, 255, 255, 255, 255], 2n ** 64n - 1n],
  ['i128', Array(16).fill(255), -1n],
  ['string', [2, 0, 0, 0, 104, 105], 'hi'],
  ['bytes', [2, 0, 0, 0, 1, 2], 'AQI='],
  ['pubkey', Array(32).fill(0), '11111111111111111111111111111111'],
  [{ option: 'u8' }, [0], null],
  [{ option: 'u8' }, [1, 7], 7],
  [{ coption: 'u8' }, [1, 0, 0, 0, 7], 7],
  [{ vec: 'u16' }, [2, 0, 0, 0, 1, 0, 2, 0], [1, 2]],
  [{ array: ['bool', 2] }, [1, 0], [true, false]],
  [{ defined: 'Point' }, [254, 255, 3], { x: -2, y: 3 }],
  [{ defined: { name: 'Shape' } }, [0], 'Nothing'],
  [{ defined: { name: 'Shape' } }, [1, 1, 0, 2], { Dot: [{ x: 1, y: 2 }] }],
  [{ defined: { name: 'Shape' } }, [2, 5, 0, 0, 0, 0, 0, 0, 0], { Circle: { radius: 5n } }],
])('%j is decoded', (type, bytes, value) => {
  expect(decode(type, bytes, [POINT, SHAPE])).toEqual(value);
});

test.each([
  ['a type that is not known', 'u7', [1]],
  ['a name of every object', 'constructor', [1]],
  ['a definition that is not there', { defined: 'Absent' }, [1]],
  ['bytes that end too soon', 'u64', [1]],
  ['a list longer than the bytes', { vec: 'u8' }, [255, 255, 255, 255]],
  ['a variant that is not there', { defined: 'Shape' }, [9]],
])('arguments with %s are not shown', (_, type, bytes) => {
  expect(decode(type, bytes, [SHAPE])).toBeUndefined();
});

test('types that grow without a byte end', () => {
  const types = Array.from({ length: 30 }, (_, index) => {
    const type = { defined: `T${index + 1}` };
    return {
      name: `T${index}`,
      type: {
        kind: 'struct',
        fields: [
          { name: 'a', type },
          { name: 'b', type },
        ],
      },
    };
  });
  const end = { name: 'T30', type: { kind: 'struct', fields: [] } };
  expect(decode({ defined: 'T0' }, [], [...types, end])).toBeUndefined();
  expect(
    decode({ defined: 'Loop' }, [1], [{ name: 'Loop', type: { kind: 'type', alias: { defined: 'Loop' } } }]),
  ).toBeUndefined();
});

test('an instruction without a discriminator has that of Anchor before 0.30, and groups of accounts are flat', () => {
  const idl = readIdl({
    name: 'old',
    instructions: [
      { name: 'doIt', accounts: [{ name: 'one' }, { name: 'group', accounts: [{ name: 'two' }] }] } as never,
    ],
  });
  expect(idl).toMatchObject({
    name: 'old',
    instructions: [{ name: 'doIt', accounts: ['one', 'group.two'] }],
  });
  const hash = createHash('sha256').update('global:do_it').digest().subarray(0, 8);
  expect([...(idl.instructions[0]?.discriminator ?? [])]).toEqual([...hash]);
});

test('what grows without taking a byte is given up, and counts for the whole trace', () => {
  const big = { name: 'Big', type: { kind: 'struct', fields: [{ name: 'x'.repeat(2_000), type: 'bool' }] } };
  const ofBig = (count: number) =>
    decode(
      { array: [{ defined: 'Big' }, count] },
      Array.from({ length: count }, () => 1),
      [big],
    );
  expect(ofBig(32)).toHaveLength(32);
  expect(ofBig(33)).toBeUndefined();
  const idl = idlOf([big], [{ name: 'value', type: { array: [{ defined: 'Big' }, 20] } }]);
  const budget = newBudget();
  const again = () => decodeArgs(idl.instructions[0]?.args ?? [], new Uint8Array(20), idl, budget);
  expect(again()).toBeDefined();
  expect(again()).toBeUndefined();
});

test('a name that a trace repeats has 256 characters at most', () => {
  const named = (name: string) => readIdl({ instructions: [{ name, args: [] } as never] });
  expect(named('x'.repeat(256)).instructions).toHaveLength(1);
  expect(() => named('x'.repeat(257))).toThrow('a name in the IDL has 257 characters, the limit is 256');
});

test('whatever the IDL and the bytes are, nothing is thrown', () => {
  const idl = fc.record({
    types: fc.jsonValue(),
    errors: fc.jsonValue(),
    args: fc.jsonValue(),
    accounts: fc.jsonValue(),
  });
  fc.assert(
    fc.property(idl, fc.jsonValue(), fc.uint8Array(), ({ types, errors, args, accounts }, type, bytes) => {
      const read = readIdl({
        instructions: [{ name: 'any', args, accounts } as never],
        types,
        errors,
      } as never);
      decodeArgs([{ name: 'value', type }, ...(read.instructions[0]?.args ?? [])], bytes, read);
    }),
  );
});
