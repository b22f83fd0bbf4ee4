import { expect, test } from 'vitest';
import { parseExtension } from '../../../../src/localnet/encode/parsed-account/parse-account.ts';
import { address, key } from '../instruction-case.ts';

const base64 = (length: number, fill: number) => Buffer.alloc(length, fill).toString('base64');
const join = (...parts: readonly (Uint8Array | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const counter = (value: number) => [value, 0, 0, 0, 0, 0, 0, 0];
const block = (length: number, fill: number) => Buffer.alloc(length, fill);

/** The byte layouts are those of crate spl-token-2022-interface. */
const CASES: readonly (readonly [string, number, Uint8Array, object])[] = [
  [
    'confidentialTransferMint',
    4,
    join(key(1).toBytes(), [1], block(32, 9)),
    { authority: address(1), autoApproveNewAccounts: true, auditorElgamalPubkey: base64(32, 9) },
  ],
  [
    'confidentialTransferMint',
    4,
    new Uint8Array(65),
    { authority: null, autoApproveNewAccounts: false, auditorElgamalPubkey: null },
  ],
  [
    'confidentialTransferAccount',
    5,
    join(
      [1],
      block(32, 1),
      block(64, 2),
      block(64, 3),
      block(64, 4),
      block(36, 5),
      [1, 0],
      counter(6),
      counter(7),
      counter(8),
      counter(9),
    ),
    {
      approved: true,
      elgamalPubkey: base64(32, 1),
      pendingBalanceLo: base64(64, 2),
      pendingBalanceHi: base64(64, 3),
      availableBalance: base64(64, 4),
      decryptableAvailableBalance: base64(36, 5),
      allowConfidentialCredits: true,
      allowNonConfidentialCredits: false,
      pendingBalanceCreditCounter: 6n,
      maximumPendingBalanceCreditCounter: 7n,
      expectedPendingBalanceCreditCounter: 8n,
      actualPendingBalanceCreditCounter: 9n,
    },
  ],
  [
    'confidentialTransferFeeConfig',
    16,
    join(key(1).toBytes(), block(32, 2), [1], block(64, 3)),
    {
      authority: address(1),
      withdrawWithheldAuthorityElgamalPubkey: base64(32, 2),
      harvestToMintEnabled: true,
      withheldAmount: base64(64, 3),
    },
  ],
  ['confidentialTransferFeeAmount', 17, block(64, 3), { withheldAmount: base64(64, 3) }],
  [
    'confidentialMintBurn',
    24,
    join(block(64, 1), block(36, 2), block(32, 3), block(64, 4)),
    {
      confidentialSupply: base64(64, 1),
      decryptableSupply: base64(36, 2),
      supplyElgamalPubkey: base64(32, 3),
      pendingBurn: base64(64, 4),
    },
  ],
];

test.each(CASES)('parses %s', (extension, type, value, state) => {
  expect(parseExtension({ type, value })).toEqual({ extension, state });
  expect(parseExtension({ type, value: value.subarray(1) })).toEqual({ extension: 'unparseableExtension' });
});
