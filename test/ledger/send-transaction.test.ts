import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { sendTransaction } from '../../src/ledger/methods/sendTransaction.ts';
import { wireOf } from '../wire/kit-transactions.ts';

const wire = (signatures: readonly Uint8Array[], messageBytes = 100): Buffer =>
  Buffer.concat([Buffer.from([signatures.length]), ...signatures, Buffer.alloc(messageBytes, 1)]);
const signature = Buffer.alloc(64, 9);
const none = Buffer.alloc(64);
const send64 = (bytes: Buffer) => (): void =>
  sendTransaction([bytes.toString('base64'), { encoding: 'base64' }]);

test('a signed transaction passes in each encoding', () => {
  const signed = wire([signature]);
  expect(() => sendTransaction([base58.encode(signed)])).not.toThrow();
  expect(() => sendTransaction([base58.encode(signed), null])).not.toThrow();
  expect(() => sendTransaction([base58.encode(signed), { encoding: null }])).not.toThrow();
  expect(send64(signed)).not.toThrow();
});

test('a transaction with one of two signatures is left to the node', () => {
  expect(send64(wire([signature, none]))).not.toThrow();
  expect(send64(wire([none, signature]))).not.toThrow();
});

test.each([
  ['one signature of zeros', [none]],
  ['two signatures of zeros', [none, none]],
])('a transaction with %s fails its preflight', (_name, signatures) => {
  const data = expect.objectContaining({ err: 'SignatureFailure', logs: [] });
  expect(send64(wire(signatures))).toThrow(
    expect.objectContaining({ code: 'preflightFailure', context: expect.objectContaining({ data }) }),
  );
  const skipped = [wire(signatures).toString('base64'), { encoding: 'base64', skipPreflight: true }];
  expect(() => sendTransaction(skipped)).toThrow(
    'Transaction simulation failed: Transaction did not pass signature verification',
  );
});

test('a transaction without signatures contradicts itself', () => {
  expect(send64(wire([]))).toThrow(
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
  );
});

test('bytes that end within the signatures are malformed', () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from([1]),
    wire([signature], 0),
    wire([signature]).subarray(0, 40),
  ]) {
    expect(send64(bytes)).toThrow(expect.objectContaining({ code: 'transactionMalformed' }));
  }
});

test('a version that is not known is left to the node', () => {
  expect(send64(Buffer.concat([Buffer.from([0x82]), Buffer.alloc(200)]))).not.toThrow();
  expect(send64(Buffer.concat([wire([none], 0), Buffer.from([0x85])]))).not.toThrow();
});

test('the signatures of version 1 are looked for at its end', async () => {
  const signed = await wireOf({ version: 1, signers: 2, config: { priorityFee: 1n }, instructions: [] });
  const unsigned = Buffer.from(signed).fill(0, signed.length - 128);
  expect(send64(Buffer.from(signed))).not.toThrow();
  expect(send64(Buffer.from(signed).fill(0, signed.length - 64))).not.toThrow();
  expect(send64(unsigned)).toThrow('Transaction did not pass signature verification');
  expect(send64(unsigned.subarray(0, -1))).toThrow('Attempting to read 128 bytes');
});

test('version 1 has 4,096 bytes in base-64 and a packet in base-58', async () => {
  const sized = async (bytes: number): Promise<Buffer> => {
    const wireWith = (data: number) =>
      wireOf({
        version: 1,
        signers: 1,
        config: {},
        instructions: [{ program: 20, accounts: [], data: new Uint8Array(data) }],
      });
    const wire = Buffer.from(await wireWith(bytes - (await wireWith(0)).length));
    expect(wire).toHaveLength(bytes);
    return wire;
  };
  expect(send64(await sized(4096))).not.toThrow();
  const name = 'solana_transaction::versioned::VersionedTransaction';
  const behind = Buffer.concat([await sized(4096), Buffer.of(0)]);
  expect(send64(behind)).toThrow(`decoded ${name} too large: 4097 bytes (max: 4096 bytes)`);
  expect(send64(Buffer.concat([behind, Buffer.alloc(2)]))).toThrow(
    `base64 encoded ${name} too large: 5468 bytes (max: encoded/raw 5464/4096)`,
  );
  const packet = base58.encode(await sized(1232));
  expect(() => sendTransaction([packet])).not.toThrow();
  const larger = base58.encode(await sized(1233));
  expect(() => sendTransaction([larger])).toThrow(/^base58 encoded .* \(max: encoded\/raw 1683\/1232\)$/);
});

test('a packet of 1232 bytes passes, one of 1233 is too large', () => {
  expect(send64(wire([signature], 1232 - 65))).not.toThrow();
  expect(send64(wire([signature], 1233 - 65))).toThrow(
    'decoded solana_transaction::versioned::VersionedTransaction too large: 1233 bytes (max: 1232 bytes)',
  );
});

test.each([
  ['base58', 1683],
  ['base64', 1644],
])('text of more characters than a packet has in %s is refused before it is decoded', (encoding, limit) => {
  const text = `encoded solana_transaction::versioned::VersionedTransaction too large: ${limit + 1} bytes (max: encoded/raw ${limit}/1232)`;
  expect(() => sendTransaction(['!'.repeat(limit + 1), { encoding }])).toThrow(`${encoding} ${text}`);
  expect(() => sendTransaction(['!'.repeat(limit), { encoding }])).toThrow(`invalid ${encoding} encoding`);
});

test.each([
  ['base58', '2x0', "invalid base58 encoding: InvalidCharacter { character: '0', index: 2 }"],
  ['base58', 'é', 'invalid base58 encoding: NonAsciiCharacter { index: 0 }'],
  ['base64', 'AA!A', 'invalid base64 encoding: InvalidByte(2, 33)'],
  ['base64', 'AAA', 'invalid base64 encoding: InvalidPadding'],
  ['base64', 'AB==', 'invalid base64 encoding: InvalidLastSymbol(1, 66)'],
])('%s text %j is told what is wrong with it', (encoding, text, message) => {
  expect(() => sendTransaction([text, { encoding }])).toThrow(message);
});

test('an encoding of results is none of transactions', () => {
  expect(() => sendTransaction(['1', { encoding: 'jsonParsed' }])).toThrow(
    'unsupported encoding: jsonParsed. Supported encodings: base58, base64',
  );
});
