import {
  NONCE_ACCOUNT_LENGTH,
  SystemProgram,
  SYSVAR_RECENT_BLOCKHASHES_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const RECENT_BLOCKHASHES = SYSVAR_RECENT_BLOCKHASHES_PUBKEY.toBase58();
const RENT = SYSVAR_RENT_PUBKEY.toBase58();
const [from, to, base, owner, nonce, authority] = [key(1), key(2), key(3), key(4), key(5), key(6)];

/** Every instruction that web3.js can build, with the form that nodes give it. */
const CASES: readonly (readonly [TransactionInstruction, string, object])[] = [
  [
    SystemProgram.createAccount({
      fromPubkey: from,
      newAccountPubkey: to,
      lamports: 5,
      space: 128,
      programId: owner,
    }),
    'createAccount',
    { source: address(1), newAccount: address(2), lamports: 5n, space: 128n, owner: address(4) },
  ],
  [
    SystemProgram.assign({ accountPubkey: from, programId: owner }),
    'assign',
    { account: address(1), owner: address(4) },
  ],
  [
    SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 2n ** 64n - 1n }),
    'transfer',
    { source: address(1), destination: address(2), lamports: 2n ** 64n - 1n },
  ],
  [
    SystemProgram.createAccountWithSeed({
      fromPubkey: from,
      newAccountPubkey: to,
      basePubkey: from,
      seed: 'grün',
      lamports: 7,
      space: 9,
      programId: owner,
    }),
    'createAccountWithSeed',
    {
      source: address(1),
      newAccount: address(2),
      base: address(1),
      seed: 'grün',
      lamports: 7n,
      space: 9n,
      owner: address(4),
    },
  ],
  [
    SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: authority }),
    'advanceNonce',
    { nonceAccount: address(5), recentBlockhashesSysvar: RECENT_BLOCKHASHES, nonceAuthority: address(6) },
  ],
  [
    SystemProgram.nonceWithdraw({
      noncePubkey: nonce,
      authorizedPubkey: authority,
      toPubkey: to,
      lamports: 3,
    }),
    'withdrawFromNonce',
    {
      nonceAccount: address(5),
      destination: address(2),
      recentBlockhashesSysvar: RECENT_BLOCKHASHES,
      rentSysvar: RENT,
      nonceAuthority: address(6),
      lamports: 3n,
    },
  ],
  [
    SystemProgram.nonceInitialize({ noncePubkey: nonce, authorizedPubkey: authority }),
    'initializeNonce',
    {
      nonceAccount: address(5),
      recentBlockhashesSysvar: RECENT_BLOCKHASHES,
      rentSysvar: RENT,
      nonceAuthority: address(6),
    },
  ],
  [
    SystemProgram.nonceAuthorize({
      noncePubkey: nonce,
      authorizedPubkey: authority,
      newAuthorizedPubkey: to,
    }),
    'authorizeNonce',
    { nonceAccount: address(5), nonceAuthority: address(6), newAuthorized: address(2) },
  ],
  [
    SystemProgram.allocate({ accountPubkey: from, space: NONCE_ACCOUNT_LENGTH }),
    'allocate',
    { account: address(1), space: 80n },
  ],
  [
    SystemProgram.allocate({ accountPubkey: from, basePubkey: base, seed: 's', space: 6, programId: owner }),
    'allocateWithSeed',
    { account: address(1), base: address(3), seed: 's', space: 6n, owner: address(4) },
  ],
  [
    SystemProgram.assign({ accountPubkey: from, basePubkey: base, seed: '', programId: owner }),
    'assignWithSeed',
    { account: address(1), base: address(3), seed: '', owner: address(4) },
  ],
  [
    SystemProgram.transfer({
      fromPubkey: from,
      basePubkey: base,
      toPubkey: to,
      lamports: 8,
      seed: 'seed',
      programId: owner,
    }),
    'transferWithSeed',
    {
      source: address(1),
      sourceBase: address(3),
      destination: address(2),
      lamports: 8n,
      sourceSeed: 'seed',
      sourceOwner: address(4),
    },
  ],
  [raw(12, [nonce]), 'upgradeNonce', { nonceAccount: address(5) }],
  [
    raw(13, [to, from], 4n, 16n, owner.toBytes()),
    'createAccountAllowPrefund',
    { newAccount: address(2), source: address(1), lamports: 4n, space: 16n, owner: address(4) },
  ],
  [
    raw(13, [to], 0n, 16n, owner.toBytes()),
    'createAccountAllowPrefund',
    { newAccount: address(2), space: 16n, owner: address(4) },
  ],
];

test.each(CASES)('parses case %# as %s', (built, type, info) => {
  expect(parseBuilt(built)).toEqual({
    program: 'system',
    programId: SystemProgram.programId.toBase58(),
    parsed: { type, info },
    stackHeight: 1,
  });
});

test.each(CASES)('does not parse case %# with an account too few', (built) => {
  expect(parseBuilt(without(built, 1))).toBeUndefined();
});

test.each(CASES)('does not parse case %# with data cut short', (built) => {
  const data = built.data.subarray(0, -1);
  expect(parseBuilt(new TransactionInstruction({ ...built, data }))).toBeUndefined();
});

test('does not parse a type beyond the last', () => {
  expect(parseBuilt(raw(14, [from]))).toBeUndefined();
});

test('ignores bytes behind the arguments', () => {
  expect(parseBuilt(raw(2, [from, to], 5n, new Uint8Array(3)))).toMatchObject({
    parsed: { type: 'transfer' },
  });
});

function raw(type: number, accounts: readonly (typeof from)[], ...args: readonly (bigint | Uint8Array)[]) {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(type);
  const parts = args.map((arg) =>
    typeof arg === 'bigint' ? Buffer.from(BigUint64Array.of(arg).buffer) : arg,
  );
  return new TransactionInstruction({
    programId: SystemProgram.programId,
    keys: accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.concat([head, ...parts]),
  });
}
