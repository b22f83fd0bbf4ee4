import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/core/service-error.ts';
import { decodeTransaction } from '../../src/core/wire/decode-transaction.ts';
import { assertValid, readTransaction } from '../../src/localnet/transaction/read-transaction.ts';
import { newLedger } from './new-ledger.ts';
import { build, memo, transfer } from './transactions.ts';
import { rounds } from '../support/tier.ts';

const wallet = Keypair.generate();
const transaction = build(
  newLedger(),
  [wallet],
  transfer(wallet, Keypair.generate().publicKey, 1n),
  memo('decoded', wallet.publicKey),
);
const wire = new Uint8Array(transaction.serialize());

test('a transaction is read as it was written', () => {
  const decoded = decodeTransaction(wire);
  const compiled = transaction.compileMessage();
  expect(decoded.wire).toEqual(wire);
  expect(Buffer.from(decoded.messageBytes)).toEqual(transaction.serializeMessage());
  expect(decoded.message).toMatchObject({
    version: 'legacy',
    header: compiled.header,
    staticKeys: compiled.accountKeys.map(String),
    recentBlockhash: compiled.recentBlockhash,
  });
  expect(decoded.message.instructions.map(({ data }) => Buffer.from(data).toString('hex'))).toEqual(
    transaction.instructions.map(({ data }) => data.toString('hex')),
  );
});

test('bytes behind the end are ignored, missing ones are not', () => {
  expect(decodeTransaction(Buffer.concat([wire, Buffer.of(1, 2, 3)])).wire).toEqual(wire);
  const cut = () => decodeTransaction(wire.subarray(0, wire.length - 1));
  expect(cut).toThrow(
    'failed to deserialize solana_transaction::versioned::VersionedTransaction: Attempting to read 7 bytes',
  );
});

test('any damage either leaves a transaction that passes the same checks or is refused', async () => {
  const ledger = newLedger();
  await fc.assert(
    fc.asyncProperty(fc.nat(wire.length - 1), fc.nat(255), async (position, byte) => {
      const text = Buffer.from(wire.with(position, byte)).toString('base64');
      const answer = await ledger
        .call('simulateTransaction', text, { encoding: 'base64', replaceRecentBlockhash: true })
        .catch((error: unknown) => error);
      expect(
        answer instanceof ServiceError
          ? /^transaction|^signature/.test(answer.code)
          : 'value' in Object(answer),
      ).toBe(true);
    }),
    { numRuns: rounds(300) },
  );
});

test('a transaction that contradicts itself is refused', () => {
  const broken = (position: number, value: number): string =>
    Buffer.from(wire.with(65 + position, value)).toString('base64');
  const reason = 'invalid transaction: Transaction failed to sanitize accounts offsets correctly';
  const { ledger } = newLedger();
  for (const text of [broken(1, 1), broken(2, 200), broken(0, 2)])
    expect(() => assertValid(ledger, readTransaction(text, 'base64'), ledger.blocks.openSlot)).toThrow(
      reason,
    );
});

test('text that is too long or badly encoded is refused in the words of a node', () => {
  const name = 'solana_transaction::versioned::VersionedTransaction';
  expect(() => readTransaction('A'.repeat(1684), undefined)).toThrow(
    `base58 encoded ${name} too large: 1684 bytes (max: encoded/raw 1683/1232)`,
  );
  expect(() => readTransaction('A'.repeat(1645), 'base64')).toThrow(
    `base64 encoded ${name} too large: 1645 bytes (max: encoded/raw 1644/1232)`,
  );
  expect(() => readTransaction(Buffer.alloc(1233).toString('base64'), 'base64')).toThrow(
    `decoded ${name} too large: 1233 bytes (max: 1232 bytes)`,
  );
  expect(() => readTransaction('abc0', undefined)).toThrow(
    "invalid base58 encoding: InvalidCharacter { character: '0', index: 3 }",
  );
  expect(() => readTransaction('AAAAA', 'base64')).toThrow('invalid base64 encoding: InvalidLength(5)');
  expect(() => readTransaction('AAB=', 'base64')).toThrow(
    'invalid base64 encoding: InvalidLastSymbol(2, 66)',
  );
});

test('versions that are not known are refused', () => {
  const versioned = (version: number): Uint8Array =>
    Buffer.concat([wire.subarray(0, 65), Buffer.of(0x80 | version), wire.subarray(65)]);
  expect(() => decodeTransaction(versioned(5))).toThrow('Invalid tag encoding: 5');
  expect(() => decodeTransaction(versioned(127))).toThrow('Invalid tag encoding: 127');
});
