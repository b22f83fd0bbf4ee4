import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import * as group from '@solana/spl-token-group';
import * as metadata from '@solana/spl-token-metadata';
import type { TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const programId = TOKEN_2022_PROGRAM_ID;
const [target, mint, authority, other] = [key(1), key(2), key(3), key(4)];
const METADATA = { metadata: address(1), updateAuthority: address(3) };
const GROUP = { group: address(1), updateAuthority: address(3) };
const update = { programId, metadata: target, updateAuthority: authority };
const ofGroup = { programId, group: target };

const CASES: readonly (readonly [string, TransactionInstruction, object])[] = [
  [
    'initializeTokenMetadata',
    metadata.createInitializeInstruction({
      ...update,
      mint,
      mintAuthority: other,
      name: 'Größe',
      symbol: 'G',
      uri: '',
    }),
    { ...METADATA, mint: address(2), mintAuthority: address(4), name: 'Größe', symbol: 'G', uri: '' },
  ],
  [
    'updateTokenMetadataField',
    metadata.createUpdateFieldInstruction({ ...update, field: metadata.Field.Uri, value: 'https://a.b' }),
    { ...METADATA, field: 'uri', value: 'https://a.b' },
  ],
  [
    'updateTokenMetadataField',
    metadata.createUpdateFieldInstruction({ ...update, field: 'colour', value: 'red' }),
    { ...METADATA, field: 'colour', value: 'red' },
  ],
  [
    'removeTokenMetadataKey',
    metadata.createRemoveKeyInstruction({ ...update, key: 'colour', idempotent: true }),
    { ...METADATA, key: 'colour', idempotent: true },
  ],
  [
    'updateTokenMetadataAuthority',
    metadata.createUpdateAuthorityInstruction({
      programId,
      metadata: target,
      oldAuthority: authority,
      newAuthority: other,
    }),
    { ...METADATA, newAuthority: address(4) },
  ],
  [
    'updateTokenMetadataAuthority',
    metadata.createUpdateAuthorityInstruction({
      programId,
      metadata: target,
      oldAuthority: authority,
      newAuthority: null,
    }),
    { ...METADATA, newAuthority: null },
  ],
  [
    'emitTokenMetadata',
    metadata.createEmitInstruction({ programId, metadata: target, start: 1n, end: 2n }),
    { metadata: address(1), start: 1n, end: 2n },
  ],
  [
    'emitTokenMetadata',
    metadata.createEmitInstruction({ programId, metadata: target }),
    { metadata: address(1) },
  ],
  [
    'initializeTokenGroup',
    group.createInitializeGroupInstruction({
      ...ofGroup,
      mint,
      mintAuthority: other,
      updateAuthority: authority,
      maxSize: 300n,
    }),
    { ...GROUP, mint: address(2), mintAuthority: address(4), maxSize: 300n },
  ],
  [
    'updateTokenGroupMaxSize',
    group.createUpdateGroupMaxSizeInstruction({ ...ofGroup, updateAuthority: authority, maxSize: 5n }),
    { ...GROUP, maxSize: 5n },
  ],
  [
    'updateTokenGroupAuthority',
    group.createUpdateGroupAuthorityInstruction({
      ...ofGroup,
      currentAuthority: authority,
      newAuthority: null,
    }),
    { ...GROUP, newAuthority: null },
  ],
  [
    'initializeTokenGroupMember',
    group.createInitializeMemberInstruction({
      ...ofGroup,
      member: other,
      memberMint: mint,
      memberMintAuthority: key(5),
      groupUpdateAuthority: authority,
    }),
    {
      member: address(4),
      memberMint: address(2),
      memberMintAuthority: address(5),
      group: address(1),
      groupUpdateAuthority: address(3),
    },
  ],
];

test.each(CASES)('parses %s', (type, built, info) => {
  expect(parseBuilt(built)).toMatchObject({ program: 'spl-token' });
  expect(parseBuilt(built)?.parsed).toEqual({ type, info });
  expect(parseBuilt(without(built, 1))).toBeUndefined();
});
