import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address, key } from '../instruction-case.ts';
import { PublicKey } from '@solana/web3.js';
import { configData, type ConfigKey } from '../../programs/config-store.ts';

const OWNER = 'Config1111111111111111111111111111111111111';
const INFO = new PublicKey('Va1idator1nfo111111111111111111111111111111');
const KEYS: readonly ConfigKey[] = [
  [INFO, false],
  [key(1), true],
];

const parse = (data: Uint8Array) => parseChecked(address(9), accountOf({ owner: OWNER, data }), NO_MINTS);

function described(text: string, keys = KEYS): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
  return configData(keys, Buffer.concat([length, Buffer.from(text)]));
}

test('parses what an operator published of a validator, with members in the order of their names', () => {
  const data = Buffer.concat([
    described('{"website":"https://example.org","name":"Ω","list":[1,null]}'),
    Buffer.alloc(50),
  ]);
  const parsed = parse(data);
  expect(parsed).toEqual({
    program: 'config',
    parsed: {
      type: 'validatorInfo',
      info: {
        configData: { list: [1, null], name: 'Ω', website: 'https://example.org' },
        keys: [
          { pubkey: INFO.toBase58(), signer: false },
          { pubkey: address(1), signer: true },
        ],
      },
    },
    space: BigInt(data.length),
  });
  expect(JSON.stringify(parsed, (_key, value) => (typeof value === 'bigint' ? 0 : value))).toContain(
    '{"list":[1,null],"name"',
  );
});

test.each([
  ['other keys', described('{}', [[key(1), false]])],
  ['no keys', described('{}', [])],
  ['no JSON', described('{')],
  ['JSON of another form', described('"text"')],
  ['JSON that is nested 128 levels deep', described(`{"a":${'['.repeat(127)}${']'.repeat(127)}}`)],
  ['JSON that would exhaust the stack', described(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
  ['a text that is cut', described('{}').subarray(0, -1)],
  ['a flag of 2', described('{}').fill(2, 33, 34)],
  ['no data', Buffer.of()],
  ['a length that ends in 0', Buffer.concat([Buffer.of(0x82, 0), described('{}').subarray(1)])],
  ['a length of four bytes', Buffer.alloc(200, 0x81)],
])('does not parse an account with %s', (_, data) => {
  expect(parse(data)).toBeUndefined();
});

test('parses JSON that is nested 127 levels deep', () => {
  expect(parse(described(`{"a":${'['.repeat(126)}${']'.repeat(126)}}`))).toBeDefined();
});
