import * as spl from '@solana/spl-token';
import { packTokenGroup, packTokenGroupMember } from '@solana/spl-token-group';
import { pack } from '@solana/spl-token-metadata';
import { PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { parseExtension } from '../../../../src/localnet/encode/parsed-account/parse-account.ts';
import { address, key } from '../instruction-case.ts';

const { ExtensionType } = spl;
const NONE = PublicKey.default;
const fee = (epoch: bigint, maximumFee: bigint, transferFeeBasisPoints: number) => ({
  epoch,
  maximumFee,
  transferFeeBasisPoints,
});

type Layout = { readonly span: number; encode(value: object, data: Uint8Array): number };

function encoded(layout: unknown, value: object): Uint8Array {
  const { span, encode } = layout as Layout;
  const data = new Uint8Array(span);
  encode.call(layout, value, data);
  return data;
}

/** Bytes of a state that the library writes whole. */
function packed<T>(pack: (state: T) => ArrayLike<number>, state: T): Uint8Array {
  return Uint8Array.from(pack(state));
}

/** Extension type, its bytes as the library's layout writes them, the parsed form. */
const CASES: readonly (readonly [string, number, Uint8Array, object | undefined])[] = [
  [
    'transferFeeConfig',
    ExtensionType.TransferFeeConfig,
    encoded(spl.TransferFeeConfigLayout, {
      transferFeeConfigAuthority: key(1),
      withdrawWithheldAuthority: NONE,
      withheldAmount: 2n ** 64n - 1n,
      olderTransferFee: fee(1n, 2n, 3),
      newerTransferFee: fee(4n, 5n, 10_000),
    }),
    {
      transferFeeConfigAuthority: address(1),
      withdrawWithheldAuthority: null,
      withheldAmount: 2n ** 64n - 1n,
      olderTransferFee: fee(1n, 2n, 3),
      newerTransferFee: fee(4n, 5n, 10_000),
    },
  ],
  [
    'transferFeeAmount',
    ExtensionType.TransferFeeAmount,
    encoded(spl.TransferFeeAmountLayout, { withheldAmount: 9n }),
    { withheldAmount: 9n },
  ],
  [
    'mintCloseAuthority',
    ExtensionType.MintCloseAuthority,
    encoded(spl.MintCloseAuthorityLayout, { closeAuthority: key(1) }),
    { closeAuthority: address(1) },
  ],
  [
    'defaultAccountState',
    ExtensionType.DefaultAccountState,
    encoded(spl.DefaultAccountStateLayout, { state: spl.AccountState.Frozen }),
    { accountState: 'frozen' },
  ],
  ['immutableOwner', ExtensionType.ImmutableOwner, new Uint8Array(), undefined],
  [
    'memoTransfer',
    ExtensionType.MemoTransfer,
    encoded(spl.MemoTransferLayout, { requireIncomingTransferMemos: true }),
    { requireIncomingTransferMemos: true },
  ],
  ['nonTransferable', ExtensionType.NonTransferable, new Uint8Array(), undefined],
  [
    'interestBearingConfig',
    ExtensionType.InterestBearingConfig,
    encoded(spl.InterestBearingMintConfigStateLayout, {
      rateAuthority: key(1),
      initializationTimestamp: 10,
      preUpdateAverageRate: -3,
      lastUpdateTimestamp: 20,
      currentRate: 500,
    }),
    {
      rateAuthority: address(1),
      initializationTimestamp: 10n,
      preUpdateAverageRate: -3,
      lastUpdateTimestamp: 20n,
      currentRate: 500,
    },
  ],
  ['cpiGuard', ExtensionType.CpiGuard, encoded(spl.CpiGuardLayout, { lockCpi: false }), { lockCpi: false }],
  [
    'permanentDelegate',
    ExtensionType.PermanentDelegate,
    encoded(spl.PermanentDelegateLayout, { delegate: key(1) }),
    { delegate: address(1) },
  ],
  ['nonTransferableAccount', ExtensionType.NonTransferableAccount, new Uint8Array(), undefined],
  [
    'transferHook',
    ExtensionType.TransferHook,
    encoded(spl.TransferHookLayout, { authority: NONE, programId: key(2) }),
    { authority: null, programId: address(2) },
  ],
  [
    'transferHookAccount',
    ExtensionType.TransferHookAccount,
    encoded(spl.TransferHookAccountLayout, { transferring: true }),
    { transferring: true },
  ],
  [
    'metadataPointer',
    ExtensionType.MetadataPointer,
    encoded(spl.MetadataPointerLayout, { authority: key(1), metadataAddress: key(2) }),
    { authority: address(1), metadataAddress: address(2) },
  ],
  [
    'tokenMetadata',
    ExtensionType.TokenMetadata,
    packed(pack, {
      updateAuthority: key(1),
      mint: key(2),
      name: 'Größe',
      symbol: 'G',
      uri: '',
      additionalMetadata: [['a', 'b']],
    }),
    {
      updateAuthority: address(1),
      mint: address(2),
      name: 'Größe',
      symbol: 'G',
      uri: '',
      additionalMetadata: [['a', 'b']],
    },
  ],
  [
    'groupPointer',
    ExtensionType.GroupPointer,
    encoded(spl.GroupPointerLayout, { authority: key(1), groupAddress: NONE }),
    { authority: address(1), groupAddress: null },
  ],
  [
    'tokenGroup',
    ExtensionType.TokenGroup,
    packed(packTokenGroup, { updateAuthority: NONE, mint: key(2), size: 3n, maxSize: 4n }),
    { updateAuthority: null, mint: address(2), size: 3n, maxSize: 4n },
  ],
  [
    'groupMemberPointer',
    ExtensionType.GroupMemberPointer,
    encoded(spl.GroupMemberPointerLayout, { authority: key(1), memberAddress: key(2) }),
    { authority: address(1), memberAddress: address(2) },
  ],
  [
    'tokenGroupMember',
    ExtensionType.TokenGroupMember,
    packed(packTokenGroupMember, { mint: key(1), group: key(2), memberNumber: 3n }),
    { mint: address(1), group: address(2), memberNumber: 3n },
  ],
  [
    'scaledUiAmountConfig',
    ExtensionType.ScaledUiAmountConfig,
    encoded(spl.ScaledUiAmountConfigLayout, {
      authority: key(1),
      multiplier: 1.5,
      newMultiplierEffectiveTimestamp: 7n,
      newMultiplier: 2,
    }),
    { authority: address(1), multiplier: '1.5', newMultiplierEffectiveTimestamp: 7n, newMultiplier: '2' },
  ],
  [
    'pausableConfig',
    ExtensionType.PausableConfig,
    encoded(spl.PausableConfigLayout, { authority: key(1), paused: true }),
    { authority: address(1), paused: true },
  ],
  ['pausableAccount', ExtensionType.PausableAccount, new Uint8Array(), undefined],
];

test.each(CASES)('parses %s', (extension, type, value, state) => {
  expect(parseExtension({ type, value })).toEqual(state === undefined ? { extension } : { extension, state });
});

test.each(CASES.filter(([, , , state]) => state !== undefined))(
  'cannot parse %s cut short',
  (_name, type, value) => {
    expect(parseExtension({ type, value: value.subarray(0, -1) })).toEqual({
      extension: 'unparseableExtension',
    });
  },
);

test.each(CASES.filter(([name, , , state]) => state !== undefined && name !== 'tokenMetadata'))(
  'cannot parse %s with a byte too many',
  (_name, type, value) => {
    const longer = Uint8Array.from([...value, 0]);
    expect(parseExtension({ type, value: longer })).toEqual({ extension: 'unparseableExtension' });
  },
);

test('says so where it does not know the type', () => {
  expect(parseExtension({ type: 999, value: new Uint8Array() })).toEqual({
    extension: 'unparseableExtension',
  });
});
