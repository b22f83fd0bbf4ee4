import {
  AuthorityType,
  createAmountToUiAmountInstruction,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createBurnCheckedInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createFreezeAccountInstruction,
  createInitializeAccount2Instruction,
  createInitializeAccount3Instruction,
  createInitializeAccountInstruction,
  createInitializeImmutableOwnerInstruction,
  createInitializeMint2Instruction,
  createInitializeMintInstruction,
  createInitializeMultisigInstruction,
  createMintToCheckedInstruction,
  createMintToInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  createUiAmountToAmountInstruction,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { SYSVAR_RENT_PUBKEY, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const RENT = SYSVAR_RENT_PUBKEY.toBase58();
const [mint, account, other, owner] = [key(1), key(2), key(3), key(4)];
const M = address(1);
const A = address(2);
const O = address(3);
const OWNER = address(4);
const SIGNERS = [key(5), key(6)];
const FIVE_AND_A_HALF = { uiAmount: 5.5, decimals: 2, amount: '550', uiAmountString: '5.5' };

/** Instructions without an authority that may be a multisignature one. */
const PLAIN = (
  id: typeof TOKEN_PROGRAM_ID,
): readonly (readonly [TransactionInstruction, string, object])[] => [
  [
    createInitializeMintInstruction(mint, 6, owner, other, id),
    'initializeMint',
    { mint: M, decimals: 6, mintAuthority: OWNER, freezeAuthority: O, rentSysvar: RENT },
  ],
  [
    createInitializeMintInstruction(mint, 0, owner, null, id),
    'initializeMint',
    { mint: M, decimals: 0, mintAuthority: OWNER, rentSysvar: RENT },
  ],
  [
    createInitializeMint2Instruction(mint, 255, owner, other, id),
    'initializeMint2',
    { mint: M, decimals: 255, mintAuthority: OWNER, freezeAuthority: O },
  ],
  [
    createInitializeAccountInstruction(account, mint, owner, id),
    'initializeAccount',
    { account: A, mint: M, owner: OWNER, rentSysvar: RENT },
  ],
  [
    createInitializeAccount2Instruction(account, mint, owner, id),
    'initializeAccount2',
    { account: A, mint: M, owner: OWNER, rentSysvar: RENT },
  ],
  [
    createInitializeAccount3Instruction(account, mint, owner, id),
    'initializeAccount3',
    { account: A, mint: M, owner: OWNER },
  ],
  [createSyncNativeInstruction(account, id), 'syncNative', { account: A }],
  [createInitializeImmutableOwnerInstruction(account, id), 'initializeImmutableOwner', { account: A }],
  [createAmountToUiAmountInstruction(mint, 77n, id), 'amountToUiAmount', { mint: M, amount: '77' }],
  [createUiAmountToAmountInstruction(mint, '0.77', id), 'uiAmountToAmount', { mint: M, uiAmount: '0.77' }],
  [raw(id, [21], [mint]), 'getAccountDataSize', { mint: M }],
  [
    raw(id, [21, 7, 0, 25, 0], [mint]),
    'getAccountDataSize',
    { mint: M, extensionTypes: ['immutableOwner', 'scaledUiAmount'] },
  ],
];

type Build = (multi: typeof SIGNERS) => TransactionInstruction;

/** Instructions that an owner or authority signs, alone or as a multisignature account. */
const SIGNED = (
  id: typeof TOKEN_PROGRAM_ID,
): readonly (readonly [string, Build, object, single: string, multisig: string])[] => [
  [
    'transfer',
    (multi) => createTransferInstruction(account, other, owner, 9n, multi, id),
    { source: A, destination: O, amount: '9' },
    'authority',
    'multisigAuthority',
  ],
  [
    'approve',
    (multi) => createApproveInstruction(account, other, owner, 2n ** 64n - 1n, multi, id),
    { source: A, delegate: O, amount: '18446744073709551615' },
    'owner',
    'multisigOwner',
  ],
  [
    'revoke',
    (multi) => createRevokeInstruction(account, owner, multi, id),
    { source: A },
    'owner',
    'multisigOwner',
  ],
  [
    'setAuthority',
    (multi) => createSetAuthorityInstruction(mint, owner, AuthorityType.FreezeAccount, null, multi, id),
    { mint: M, authorityType: 'freezeAccount', newAuthority: null },
    'authority',
    'multisigAuthority',
  ],
  [
    'setAuthority',
    (multi) => createSetAuthorityInstruction(account, owner, AuthorityType.CloseAccount, other, multi, id),
    { account: A, authorityType: 'closeAccount', newAuthority: O },
    'authority',
    'multisigAuthority',
  ],
  [
    'mintTo',
    (multi) => createMintToInstruction(mint, account, owner, 1n, multi, id),
    { mint: M, account: A, amount: '1' },
    'mintAuthority',
    'multisigMintAuthority',
  ],
  [
    'burn',
    (multi) => createBurnInstruction(account, mint, owner, 1n, multi, id),
    { account: A, mint: M, amount: '1' },
    'authority',
    'multisigAuthority',
  ],
  [
    'closeAccount',
    (multi) => createCloseAccountInstruction(account, other, owner, multi, id),
    { account: A, destination: O },
    'owner',
    'multisigOwner',
  ],
  [
    'freezeAccount',
    (multi) => createFreezeAccountInstruction(account, mint, owner, multi, id),
    { account: A, mint: M },
    'freezeAuthority',
    'multisigFreezeAuthority',
  ],
  [
    'thawAccount',
    (multi) => createThawAccountInstruction(account, mint, owner, multi, id),
    { account: A, mint: M },
    'freezeAuthority',
    'multisigFreezeAuthority',
  ],
  [
    'transferChecked',
    (multi) => createTransferCheckedInstruction(account, mint, other, owner, 550n, 2, multi, id),
    { source: A, mint: M, destination: O, tokenAmount: FIVE_AND_A_HALF },
    'authority',
    'multisigAuthority',
  ],
  [
    'approveChecked',
    (multi) => createApproveCheckedInstruction(account, mint, other, owner, 550n, 2, multi, id),
    { source: A, mint: M, delegate: O, tokenAmount: FIVE_AND_A_HALF },
    'owner',
    'multisigOwner',
  ],
  [
    'mintToChecked',
    (multi) => createMintToCheckedInstruction(mint, account, owner, 550n, 2, multi, id),
    { mint: M, account: A, tokenAmount: FIVE_AND_A_HALF },
    'mintAuthority',
    'multisigMintAuthority',
  ],
  [
    'burnChecked',
    (multi) => createBurnCheckedInstruction(account, mint, owner, 550n, 2, multi, id),
    { account: A, mint: M, tokenAmount: FIVE_AND_A_HALF },
    'authority',
    'multisigAuthority',
  ],
];

describe.each([TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID])('token program %s', (id) => {
  test.each(PLAIN(id))('parses case %# as %s', (built, type, info) => {
    expect(parseBuilt(built)).toEqual(parsedAs(type, info));
    expect(parseBuilt(without(built, 1))).toBeUndefined();
  });

  test.each(SIGNED(id))('parses %s with one signer', (type, build, info, single) => {
    expect(parseBuilt(build([]))).toEqual(parsedAs(type, { ...info, [single]: OWNER }));
    expect(parseBuilt(without(build([]), 1))).toBeUndefined();
  });

  test.each(SIGNED(id))(
    'parses %s with a multisignature authority',
    (type, build, info, _single, multisig) => {
      const signers = [address(5), address(6)];
      expect(parseBuilt(build(SIGNERS))).toEqual(parsedAs(type, { ...info, [multisig]: OWNER, signers }));
    },
  );

  test('parses both forms of a new multisignature authority', () => {
    const built = createInitializeMultisigInstruction(account, SIGNERS, 2, id);
    const signers = [address(5), address(6)];
    expect(parseBuilt(built)).toEqual(
      parsedAs('initializeMultisig', { multisig: A, rentSysvar: RENT, signers, m: 2 }),
    );
    expect(parseBuilt(without(built, 2))).toBeUndefined();
    const second = raw(id, [19, 1], [account, ...SIGNERS]);
    expect(parseBuilt(second)).toEqual(parsedAs('initializeMultisig2', { multisig: A, signers, m: 1 }));
    expect(parseBuilt(without(second, 2))).toBeUndefined();
  });

  test('does not parse unknown types, unknown extension types or damaged data', () => {
    expect(parseBuilt(raw(id, [200], [mint, account]))).toBeUndefined();
    expect(parseBuilt(raw(id, [21, 99, 0], [mint]))).toBeUndefined();
    expect(parseBuilt(raw(id, [21, 7], [mint]))).toBeUndefined();
    expect(parseBuilt(raw(id, [24, 0xff], [mint]))).toBeUndefined();
    expect(parseBuilt(raw(id, [6, 0, 2], [mint, account]))).toBeUndefined();
    expect(parseBuilt(raw(id, [3, 1, 2, 3], [mint, account, other]))).toBeUndefined();
    expect(parseBuilt(raw(id, [], [mint]))).toBeUndefined();
  });

  function parsedAs(type: string, info: object) {
    return { program: 'spl-token', programId: id.toBase58(), parsed: { type, info }, stackHeight: 1 };
  }
});

function raw(
  programId: typeof TOKEN_PROGRAM_ID,
  data: readonly number[],
  accounts: readonly (typeof mint)[],
) {
  const keys = accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) });
}
