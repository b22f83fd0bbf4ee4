import {
  AccountState,
  createCreateNativeMintInstruction,
  createDisableCpiGuardInstruction,
  createDisableRequiredMemoTransfersInstruction,
  createEnableCpiGuardInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createInitializeDefaultAccountStateInstruction,
  createInitializeGroupMemberPointerInstruction,
  createInitializeGroupPointerInstruction,
  createInitializeInterestBearingMintInstruction,
  createInitializeMetadataPointerInstruction,
  createInitializeMintCloseAuthorityInstruction,
  createInitializeNonTransferableMintInstruction,
  createInitializePausableConfigInstruction,
  createInitializePermanentDelegateInstruction,
  createInitializeScaledUiAmountConfigInstruction,
  createInitializeTransferFeeConfigInstruction,
  createInitializeTransferHookInstruction,
  createPauseInstruction,
  createReallocateInstruction,
  createResumeInstruction,
  createSetTransferFeeInstruction,
  createTransferCheckedWithFeeInstruction,
  createUpdateDefaultAccountStateInstruction,
  createUpdateGroupMemberPointerInstruction,
  createUpdateGroupPointerInstruction,
  createUpdateMetadataPointerInstruction,
  createUpdateMultiplierDataInstruction,
  createUpdateRateInterestBearingMintInstruction,
  createUpdateTransferHookInstruction,
  createWithdrawWithheldTokensFromAccountsInstruction,
  createWithdrawWithheldTokensFromMintInstruction,
  ExtensionType,
  NATIVE_MINT_2022,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const ID = TOKEN_2022_PROGRAM_ID;
const [mint, account, other, owner] = [key(1), key(2), key(3), key(4)];
const M = address(1);
const A = address(2);
const O = address(3);
const OWNER = address(4);
const SIGNERS = [key(5), key(6)];
const MULTI = { signers: [address(5), address(6)] };
const NONE = PublicKey.default;

const CASES: readonly (readonly [string, TransactionInstruction, object])[] = [
  [
    'initializeMintCloseAuthority',
    createInitializeMintCloseAuthorityInstruction(mint, owner, ID),
    { mint: M, newAuthority: OWNER },
  ],
  [
    'initializeMintCloseAuthority',
    createInitializeMintCloseAuthorityInstruction(mint, null, ID),
    { mint: M, newAuthority: null },
  ],
  [
    'initializeTransferFeeConfig',
    createInitializeTransferFeeConfigInstruction(mint, owner, other, 42, 2121n, ID),
    {
      mint: M,
      transferFeeConfigAuthority: OWNER,
      withdrawWithheldAuthority: O,
      transferFeeBasisPoints: 42,
      maximumFee: 2121n,
    },
  ],
  [
    'initializeTransferFeeConfig',
    createInitializeTransferFeeConfigInstruction(mint, null, null, 42, 2n ** 64n - 1n, ID),
    { mint: M, transferFeeBasisPoints: 42, maximumFee: 2n ** 64n - 1n },
  ],
  [
    'transferCheckedWithFee',
    createTransferCheckedWithFeeInstruction(account, mint, other, owner, 55n, 2, 5n, SIGNERS, ID),
    {
      source: A,
      mint: M,
      destination: O,
      multisigAuthority: OWNER,
      ...MULTI,
      tokenAmount: { uiAmount: 0.55, decimals: 2, amount: '55', uiAmountString: '0.55' },
      feeAmount: { uiAmount: 0.05, decimals: 2, amount: '5', uiAmountString: '0.05' },
    },
  ],
  [
    'withdrawWithheldTokensFromMint',
    createWithdrawWithheldTokensFromMintInstruction(mint, other, owner, [], ID),
    { mint: M, feeRecipient: O, withdrawWithheldAuthority: OWNER },
  ],
  [
    'withdrawWithheldTokensFromAccounts',
    createWithdrawWithheldTokensFromAccountsInstruction(mint, other, owner, [], [key(7), key(8)], ID),
    { mint: M, feeRecipient: O, withdrawWithheldAuthority: OWNER, sourceAccounts: [address(7), address(8)] },
  ],
  [
    'withdrawWithheldTokensFromAccounts',
    createWithdrawWithheldTokensFromAccountsInstruction(mint, other, owner, SIGNERS, [key(7)], ID),
    {
      mint: M,
      feeRecipient: O,
      multisigWithdrawWithheldAuthority: OWNER,
      ...MULTI,
      sourceAccounts: [address(7)],
    },
  ],
  [
    'harvestWithheldTokensToMint',
    createHarvestWithheldTokensToMintInstruction(mint, [key(7), key(8)], ID),
    { mint: M, sourceAccounts: [address(7), address(8)] },
  ],
  [
    'setTransferFee',
    createSetTransferFeeInstruction(mint, owner, [], 9, 10n, ID),
    { mint: M, transferFeeBasisPoints: 9, maximumFee: 10n, transferFeeConfigAuthority: OWNER },
  ],
  [
    'initializeDefaultAccountState',
    createInitializeDefaultAccountStateInstruction(mint, AccountState.Frozen, ID),
    { mint: M, accountState: 'frozen' },
  ],
  [
    'updateDefaultAccountState',
    createUpdateDefaultAccountStateInstruction(mint, AccountState.Initialized, owner, SIGNERS, ID),
    { mint: M, accountState: 'initialized', multisigFreezeAuthority: OWNER, ...MULTI },
  ],
  [
    'reallocate',
    createReallocateInstruction(
      account,
      other,
      [ExtensionType.MemoTransfer, ExtensionType.CpiGuard],
      owner,
      [],
      ID,
    ),
    {
      account: A,
      payer: O,
      systemProgram: SystemProgram.programId.toBase58(),
      extensionTypes: ['memoTransfer', 'cpiGuard'],
      owner: OWNER,
    },
  ],
  [
    'enableRequiredMemoTransfers',
    createEnableRequiredMemoTransfersInstruction(account, owner, [], ID),
    { account: A, owner: OWNER },
  ],
  [
    'disableRequiredMemoTransfers',
    createDisableRequiredMemoTransfersInstruction(account, owner, SIGNERS, ID),
    { account: A, multisigOwner: OWNER, ...MULTI },
  ],
  [
    'createNativeMint',
    createCreateNativeMintInstruction(other, NATIVE_MINT_2022, ID),
    { payer: O, nativeMint: NATIVE_MINT_2022.toBase58(), systemProgram: SystemProgram.programId.toBase58() },
  ],
  ['initializeNonTransferableMint', createInitializeNonTransferableMintInstruction(mint, ID), { mint: M }],
  [
    'initializeInterestBearingConfig',
    createInitializeInterestBearingMintInstruction(mint, owner, -5, ID),
    { mint: M, rateAuthority: OWNER, rate: -5 },
  ],
  [
    'updateInterestBearingConfigRate',
    // The library lists a lone authority twice.
    without(createUpdateRateInterestBearingMintInstruction(mint, owner, 500, [], ID), 1),
    { mint: M, newRate: 500, rateAuthority: OWNER },
  ],
  ['enableCpiGuard', createEnableCpiGuardInstruction(account, owner, [], ID), { account: A, owner: OWNER }],
  ['disableCpiGuard', createDisableCpiGuardInstruction(account, owner, [], ID), { account: A, owner: OWNER }],
  [
    'initializePermanentDelegate',
    createInitializePermanentDelegateInstruction(mint, owner, ID),
    { mint: M, delegate: OWNER },
  ],
  [
    'initializeTransferHook',
    createInitializeTransferHookInstruction(mint, owner, other, ID),
    { mint: M, authority: OWNER, programId: O },
  ],
  [
    'updateTransferHook',
    createUpdateTransferHookInstruction(mint, owner, other, [], ID),
    { mint: M, authority: OWNER, programId: O },
  ],
  [
    'initializeMetadataPointer',
    createInitializeMetadataPointerInstruction(mint, owner, other, ID),
    { mint: M, authority: OWNER, metadataAddress: O },
  ],
  [
    'initializeMetadataPointer',
    createInitializeMetadataPointerInstruction(mint, null, null, ID),
    { mint: M },
  ],
  [
    'updateMetadataPointer',
    createUpdateMetadataPointerInstruction(mint, owner, NONE, [], ID),
    { mint: M, authority: OWNER },
  ],
  [
    'initializeGroupPointer',
    createInitializeGroupPointerInstruction(mint, owner, other, ID),
    { mint: M, authority: OWNER, groupAddress: O },
  ],
  [
    'updateGroupPointer',
    createUpdateGroupPointerInstruction(mint, owner, other, [], ID),
    { mint: M, authority: OWNER, groupAddress: O },
  ],
  [
    'initializeGroupMemberPointer',
    createInitializeGroupMemberPointerInstruction(mint, owner, other, ID),
    { mint: M, authority: OWNER, memberAddress: O },
  ],
  [
    'updateGroupMemberPointer',
    createUpdateGroupMemberPointerInstruction(mint, owner, other, [], ID),
    { mint: M, authority: OWNER, memberAddress: O },
  ],
  [
    'initializeScaledUiAmountConfig',
    createInitializeScaledUiAmountConfigInstruction(mint, owner, 1.5, ID),
    { mint: M, authority: OWNER, multiplier: '1.5' },
  ],
  [
    'updateMultiplier',
    createUpdateMultiplierDataInstruction(mint, owner, 2, 1_700_000_000n, [], ID),
    { mint: M, newMultiplier: '2', newMultiplierTimestamp: 1_700_000_000n, authority: OWNER },
  ],
  [
    'initializePausableConfig',
    createInitializePausableConfigInstruction(mint, owner, ID),
    { mint: M, authority: OWNER },
  ],
  ['pause', createPauseInstruction(mint, owner, [], ID), { mint: M, authority: OWNER }],
  [
    'resume',
    createResumeInstruction(mint, owner, SIGNERS, ID),
    { mint: M, multisigAuthority: OWNER, ...MULTI },
  ],
  [
    'withdrawExcessLamports',
    raw([38], [account, other, owner]),
    { source: A, destination: O, authority: OWNER },
  ],
  ['unwrapLamports', raw([45, 0], [account, other, owner]), { source: A, destination: O, authority: OWNER }],
  [
    'unwrapLamports',
    raw([45, 1, 3, 0, 0, 0, 0, 0, 0, 0], [account, other, owner]),
    { source: A, destination: O, amount: '3', authority: OWNER },
  ],
];

test.each(CASES)('parses %s', (type, built, info) => {
  expect(parseBuilt(built)).toEqual({
    program: 'spl-token',
    programId: ID.toBase58(),
    parsed: { type, info },
    stackHeight: 1,
  });
});

test.each(CASES)('does not parse %s without its accounts', (_type, built) => {
  expect(parseBuilt(without(built, built.keys.length))).toBeUndefined();
});

test.each([28, 33, 36, 39, 40, 41, 43, 44])(
  'does not parse type %i with a byte too many, or unknown',
  (type) => {
    const built = CASES.map(([, each]) => each).find((each) => each.data[0] === type);
    const data = Buffer.concat([built?.data ?? Buffer.alloc(0), Buffer.of(0)]);
    expect(built && parseBuilt(new TransactionInstruction({ ...built, data }))).toBeUndefined();
    expect(parseBuilt(raw([type, 9], [mint, account]))).toBeUndefined();
  },
);

test('does not parse confidential transfers', () => {
  expect(parseBuilt(raw([27, 0], [mint, account]))).toBeUndefined();
});

function raw(data: readonly number[], accounts: readonly PublicKey[]) {
  const keys = accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
  return new TransactionInstruction({ programId: ID, keys, data: Buffer.from(data) });
}
