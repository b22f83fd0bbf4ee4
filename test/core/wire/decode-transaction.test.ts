import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeTransaction } from '../../../src/localnet/transaction/sanitize.ts';
import { ServiceError } from '../../../src/core/service-error.ts';
import { decodeMessage, decodeTransaction } from '../../../src/core/wire/decode-transaction.ts';
import { layoutOf } from '../../../src/core/wire/transaction-layout.ts';
import { plans, readByKit, type TransactionPlan, wireOf } from './kit-transactions.ts';
import { rounds } from '../../support/tier.ts';

const PLAN: TransactionPlan = {
  version: 1,
  signers: 2,
  config: {
    priorityFee: 7n,
    computeUnitLimit: 200_000,
    loadedAccountsDataSizeLimit: 65_536,
    heapSize: 65_536,
  },
  instructions: [{ program: 20, accounts: [{ account: 1, isWritable: true }], data: Buffer.from('data') }],
};
const VERSION_1 = await wireOf(PLAN);

/** Offsets in the plan's wire form. */
const MASK_AT = 4;

const messageOf = (decode: () => unknown): string => {
  try {
    decode();
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  return 'decoded';
};
const reasonOf = (wire: Uint8Array): string =>
  messageOf(() => decodeTransaction(wire)).replace(
    'failed to deserialize solana_transaction::versioned::VersionedTransaction: ',
    '',
  );

test('every transaction that kit encodes is read as kit reads it, of all three versions', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const wire = await wireOf(plan);
      const { wire: kept, ...decoded } = decodeTransaction(wire);
      expect(kept).toEqual(wire);
      expect({ ...decoded, messageBytes: new Uint8Array(decoded.messageBytes) }).toEqual(readByKit(wire));
      expect(decodeMessage(decoded.messageBytes)).toEqual(decoded.message);
    }),
    { numRuns: rounds(300) },
  );
});

test('the layout of a transaction says where the decoder finds its parts', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const wire = await wireOf(plan);
      const { message, messageBytes } = decodeTransaction(wire);
      const layout = layoutOf(wire);
      const messageAt = plan.version === 1 ? 0 : 1 + 64 * plan.signers;
      expect(layout).toMatchObject({
        version: plan.version,
        signatureCount: plan.signers,
        signaturesAt: plan.version === 1 ? messageBytes.length : 1,
        headerAt: plan.version === 'legacy' ? messageAt : messageAt + 1,
        keyCount: message.staticKeys.length,
      });
      expect(layout?.config).toEqual(message.config);
      const lifetime = wire.slice(layout?.lifetimeAt, (layout?.lifetimeAt ?? 0) + 32);
      expect(lifetime).toEqual(new Uint8Array(32).fill(50));
      expect(wire.slice(layout?.keysAt).subarray(0, 32)).not.toEqual(lifetime);
    }),
    { numRuns: rounds(300) },
  );
});

test('every damage of a byte is refused, or leaves what kit reads the same', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.nat(), fc.integer({ min: 1, max: 255 }), async (plan, where, flip) => {
      const wire = await wireOf(plan);
      const position = where % wire.length;
      const damaged = wire.with(position, (wire[position] ?? 0) ^ flip);
      if (messageOf(() => sanitizeTransaction(decodeTransaction(damaged))) !== 'decoded') return;
      const { wire: kept, message, signatures } = decodeTransaction(damaged);
      const kits = readByKit(kept);
      expect({ message, signatures }).toEqual({ message: kits.message, signatures: kits.signatures });
    }),
    { numRuns: rounds(1_000) },
  );
});

test('a version 1 transaction that is cut anywhere, or too long, is refused', () => {
  for (let length = 0; length < VERSION_1.length; length++)
    expect(reasonOf(VERSION_1.subarray(0, length))).toMatch(/^Attempting to read \d+ bytes$/);
  expect(reasonOf(Buffer.concat([VERSION_1, Buffer.of(0)]))).toBe(
    'Trailing bytes remain after deserialization',
  );
  const message = decodeTransaction(VERSION_1).messageBytes;
  expect(messageOf(() => decodeMessage(Buffer.concat([message, Buffer.of(0)])))).toContain(
    'Trailing bytes remain after deserialization',
  );
});

test('a mask of version 1 with a bit that has no meaning, or with half of the priority fee, is refused', () => {
  const masked = (mask: number): Uint8Array => {
    const wire = Buffer.from(VERSION_1);
    wire.writeUInt32LE(mask, MASK_AT);
    return wire;
  };
  expect(reasonOf(masked(0b11111))).toBe('decoded');
  for (const mask of [0b11101, 0b11110, 0b111111, 2 ** 31 + 0b11111])
    expect(reasonOf(masked(mask))).toBe('Invalid value: invalid transaction config mask');
});

test.each([
  ['a version that is not known', Buffer.of(0x82), 'Custom error: invalid transaction discriminator'],
  ['an off-chain message', Buffer.of(0xff), 'Custom error: invalid transaction discriminator'],
  [
    'a version 1 message behind signatures',
    Buffer.concat([Buffer.alloc(65, 1), decodeTransaction(VERSION_1).messageBytes]),
    'Custom error: invalid message version',
  ],
  [
    'a later version behind signatures',
    Buffer.concat([Buffer.alloc(65, 1), Buffer.of(0x85)]),
    'Invalid tag encoding: 5',
  ],
])('%s is refused', (_name, wire, reason) => {
  expect(reasonOf(wire)).toBe(reason);
});

test.each([
  [[0x80, 0], 'Invalid value: short u16: non-canonical encoding'],
  [[0x80, 0x80, 0], 'Invalid value: short u16: non-canonical encoding'],
  [[0x80, 0x80, 4], 'Sequence length would overflow length encoding scheme: u16::MAX'],
  [[0xff, 0xff, 3], 'Attempting to read 2097120 bytes'],
])('a length is in its shortest form and fits 16 bits: %j', (length, reason) => {
  const header = Buffer.concat([Buffer.alloc(65, 1), Buffer.of(1, 0, 0)]);
  expect(reasonOf(Buffer.concat([header, Buffer.from(length)]))).toBe(reason);
});
