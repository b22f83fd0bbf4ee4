import { describe, expect, test } from 'vitest';
import { encodeConfirmedTransaction } from '../../../src/localnet/encode/confirmed-transaction.ts';
import { encodeMeta } from '../../../src/localnet/encode/meta.ts';
import { encodeTransaction } from '../../../src/localnet/encode/transaction.ts';
import { sampleRecord } from './transaction-case.ts';

const legacy = sampleRecord('legacy');
const v0 = sampleRecord(0);
const TIME = 1_700_000_000n;

test('says where the transaction stands; json is the default', () => {
  expect(encodeConfirmedTransaction(legacy, TIME, {})).toStrictEqual({
    slot: 7n,
    blockTime: TIME,
    transactionIndex: 3,
    transaction: encodeTransaction(legacy.transaction, 'json'),
    meta: encodeMeta(legacy.meta, true),
  });
  expect(encodeConfirmedTransaction(legacy, null, { encoding: null }).blockTime).toBeNull();
});

test.each(['base58', 'base64', 'binary'] as const)('%s keeps the raw meta', (encoding) => {
  const encoded = encodeConfirmedTransaction(legacy, TIME, { encoding });
  expect(encoded.transaction).toEqual(encodeTransaction(legacy.transaction, encoding));
  expect(encoded.meta).toHaveProperty('loadedAddresses');
});

test('jsonParsed parses instructions and leaves loaded addresses to the keys', () => {
  const encoded = encodeConfirmedTransaction(v0, TIME, {
    encoding: 'jsonParsed',
    maxSupportedTransactionVersion: 0,
  });
  expect(encoded).toMatchObject({
    transaction: { message: { instructions: [{}, { program: 'system' }, {}] } },
  });
  expect(encoded.meta).not.toHaveProperty('loadedAddresses');
});

describe('version', () => {
  test.each([undefined, null])(
    'is absent where the client names none (%s) and so cannot read version 0',
    (none) => {
      const options = { maxSupportedTransactionVersion: none };
      expect(encodeConfirmedTransaction(legacy, TIME, options)).not.toHaveProperty('version');
      expect(() => encodeConfirmedTransaction(v0, TIME, options)).toThrow(
        expect.objectContaining({ code: 'transactionVersionNotSupported', context: { version: 0 } }),
      );
    },
  );

  test.each([0, 0n, 1, 255])('is shown to a client that reads up to %s', (maxSupportedTransactionVersion) => {
    const options = { maxSupportedTransactionVersion };
    expect(encodeConfirmedTransaction(legacy, TIME, options).version).toBe('legacy');
    expect(encodeConfirmedTransaction(v0, TIME, options).version).toBe(0);
  });
});
