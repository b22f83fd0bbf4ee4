import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { toSentValue } from '../../src/store/store-query.ts';
import { createStatement } from '../../src/store/statement.ts';
import { describeStores } from './backends.ts';

const TEXTS = ['', 'a', 'a,b', '{}', '"', '\\', '\\"', 'NULL', 'null', ' a ', "'", 'é\n\t', '\\x00', '😀'];
const BYTES = [Buffer.alloc(0), Buffer.from([0, 1, 0x5c, 0x22, 0xff])];

describeStores('what is sent arrives as it was', (backend) => {
  const store = backend.shared();

  const returned = async (type: string, value: unknown): Promise<unknown> => {
    const select = createStatement<{ readonly value: unknown }>(
      (place) => sql`select ${place('value')}${sql.raw(`::${type}`)} as value`,
    );
    return (await select(store().db, { value })).rows[0]?.value;
  };

  test.each([
    ...TEXTS.map((value) => ['text', value] as const),
    ...BYTES.map((value) => ['bytea', value] as const),
    ['text[]', [...TEXTS, null]] as const,
    ['text[]', []] as const,
    ['bytea[]', [...BYTES, null]] as const,
    [
      'int[]',
      [
        [1, 2],
        [3, -4],
      ],
    ] as const,
    ['bool[]', [true, false]] as const,
    ['float8', -1.5e-7] as const,
    ['int', null] as const,
  ])('%s %j', async (type, value) => expect(await returned(type, value)).toEqual(value));

  test('integers of 64 bits, and instants', async () => {
    expect(await returned('bigint', -(2n ** 63n))).toBe('-9223372036854775808');
    const instant = new Date('2026-01-02T03:04:05.678Z');
    expect(new Date(String(await returned('timestamptz', instant)))).toEqual(instant);
  });
});

test.each([{}, Symbol('a'), () => 1, [{}]])('a value without a form is refused', (value) => {
  expect(() => toSentValue(value)).toThrow(TypeError);
});
