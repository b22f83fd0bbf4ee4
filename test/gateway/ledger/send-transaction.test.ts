import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { sendTransaction as guard } from '../../../src/gateway/ledger/methods/sendTransaction.ts';
import { wireOf } from '../../core/wire/kit-transactions.ts';

const wire = (signatures: readonly Uint8Array[], messageBytes = 100): Buffer =>
  Buffer.concat([Buffer.from([signatures.length]), ...signatures, Buffer.alloc(messageBytes, 1)]);
const signature = Buffer.alloc(64, 9);
const none = Buffer.alloc(64);
const sendTransaction = (params: readonly unknown[], hasNode = true): void => guard(params, { hasNode });
const send64 = (bytes: Buffer) => (): void =>
  sendTransaction([bytes.toString('base64'), { encoding: 'base64' }]);

test('a signed transaction passes in each encoding', () => {
  const signed = wire([signature]);
  expect(() => sendTransaction([base58.encode(signed)])).not.toThrow();
  expect(() => sendTransaction([base58.encode(signed), null])).not.toThrow();
  expect(() => sendTransaction([base58.encode(signed), { encoding: null }])).not.toThrow();
  expect(send64(signed)).not.toThrow();
});

test('a transaction with one of two signatures is left to the preflight of a node', () => {
  expect(send64(wire([signature, none]))).not.toThrow();
  expect(send64(wire([none, signature]))).not.toThrow();
});

describe.each([
  ['one signature of zeros', 1, [0]],
  ['two signatures of zeros', 2, [0, 1]],
  ['the first of two signatures of zeros', 2, [0]],
  ['the last of three signatures of zeros', 3, [2]],
])('a transaction with %s', (_name, signers, missing) => {
  const sent = async (config: object): Promise<readonly unknown[]> => {
    const signed = Buffer.from(await wireOf({ version: 'legacy', signers, config: {}, instructions: [] }));
    for (const index of missing) signed.fill(0, 1 + index * 64, 1 + (index + 1) * 64);
    return [signed.toString('base64'), { encoding: 'base64', ...config }];
  };
  const data = expect.objectContaining({ err: 'SignatureFailure', logs: [] });
  const refusal = expect.objectContaining({
    code: 'preflightFailure',
    message: 'Transaction simulation failed: Transaction did not pass signature verification',
    context: expect.objectContaining({ data }),
  });

  test('is refused without preflight', async () => {
    const params = await sent({ skipPreflight: true });
    expect(() => sendTransaction(params)).toThrow(refusal);
  });

  test.each([{}, { skipPreflight: false }, { skipPreflight: null }])(
    'is left to the preflight of a node, and refused where there is none: %j',
    async (config) => {
      const params = await sent(config);
      expect(() => sendTransaction(params)).not.toThrow();
      expect(() => sendTransaction(params, false)).toThrow(refusal);
    },
  );

  test('is malformed where its message ends early', async () => {
    const [text] = await sent({});
    const cut = Buffer.from(String(text), 'base64').subarray(0, -1).toString('base64');
    expect(() => sendTransaction([cut, { encoding: 'base64', skipPreflight: true }])).toThrow(
      expect.objectContaining({ code: 'transactionMalformed' }),
    );
  });
});

test('a transaction without signatures contradicts itself', () => {
  expect(send64(wire([]))).toThrow(
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
  );
  const waiting = [wire([]).toString('base64'), { encoding: 'base64', minContextSlot: 5 }];
  expect(() => sendTransaction(waiting)).not.toThrow();
  expect(() => sendTransaction(waiting, false)).toThrow('Transaction failed to sanitize');
});

test('bytes that end early are malformed in the words of a node, which reads some parts at once', () => {
  expect(send64(Buffer.from([0x81]))).toThrow('Attempting to read 41 bytes');
  expect(send64(Buffer.from([2]))).toThrow('Attempting to read 128 bytes');
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
  const skipped = [unsigned.toString('base64'), { encoding: 'base64', skipPreflight: true }];
  expect(() => sendTransaction(skipped)).toThrow('Transaction did not pass signature verification');
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

test('an encoding of results is refused for transactions', () => {
  expect(() => sendTransaction(['1', { encoding: 'jsonParsed' }])).toThrow(
    'unsupported encoding: jsonParsed. Supported encodings: base58, base64',
  );
});
