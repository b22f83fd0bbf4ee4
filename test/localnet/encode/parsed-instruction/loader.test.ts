import { BPF_LOADER_PROGRAM_ID, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const UPGRADEABLE = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');
const WRITE_ARGS = [9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3];
const WRITTEN = { offset: 9, bytes: 'AQID' };

describe('loader-v2', () => {
  test('parses write and finalize', () => {
    const write = build(BPF_LOADER_PROGRAM_ID, 0, WRITE_ARGS, 1);
    expect(parseBuilt(write)).toMatchObject({ program: 'bpf-loader' });
    expect(parseBuilt(write)?.parsed).toEqual({ type: 'write', info: { ...WRITTEN, account: address(1) } });
    const finalize = build(BPF_LOADER_PROGRAM_ID, 1, [], 2);
    expect(parseBuilt(finalize)?.parsed).toEqual({ type: 'finalize', info: { account: address(1) } });
    expect(parseBuilt(without(finalize, 1))).toBeUndefined();
  });

  test('does not parse a length beyond the data', () => {
    expect(parseBuilt(build(BPF_LOADER_PROGRAM_ID, 0, WRITE_ARGS.slice(0, -1), 1))).toBeUndefined();
  });
});

describe('upgradeable loader', () => {
  const CASES: readonly (readonly [string, number, readonly number[], readonly string[], object])[] = [
    ['initializeBuffer', 0, [], ['account', 'authority'], {}],
    ['write', 1, WRITE_ARGS, ['account', 'authority'], WRITTEN],
    [
      'deployWithMaxDataLen',
      2,
      [0, 1, 0, 0, 0, 0, 0, 0],
      [
        'payerAccount',
        'programDataAccount',
        'programAccount',
        'bufferAccount',
        'rentSysvar',
        'clockSysvar',
        'systemProgram',
        'authority',
      ],
      { maxDataLen: 256n },
    ],
    [
      'upgrade',
      3,
      [],
      [
        'programDataAccount',
        'programAccount',
        'bufferAccount',
        'spillAccount',
        'rentSysvar',
        'clockSysvar',
        'authority',
      ],
      {},
    ],
    ['setAuthority', 4, [], ['account', 'authority', 'newAuthority'], {}],
    ['close', 5, [], ['account', 'recipient', 'authority', 'programAccount'], {}],
    [
      'extendProgram',
      6,
      [5, 0, 0, 0],
      ['programDataAccount', 'programAccount', 'systemProgram', 'payerAccount'],
      { additionalBytes: 5 },
    ],
    ['setAuthorityChecked', 7, [], ['account', 'authority', 'newAuthority'], {}],
  ];

  test.each(CASES)('parses %s', (type, number, args, names, info) => {
    const accounts = Object.fromEntries(names.map((name, index) => [name, address(index + 1)]));
    const parsed = parseBuilt(build(UPGRADEABLE, number, args, names.length));
    expect(parsed).toMatchObject({ program: 'bpf-upgradeable-loader' });
    expect(parsed?.parsed).toEqual({ type, info: { ...accounts, ...info } });
  });

  test('shows an account that need not be there as null, and a buffer without authority without one', () => {
    expect(parseBuilt(build(UPGRADEABLE, 4, [], 2))?.parsed).toMatchObject({ info: { newAuthority: null } });
    expect(parseBuilt(build(UPGRADEABLE, 6, [5, 0, 0, 0], 3))?.parsed).toMatchObject({
      info: { systemProgram: address(3), payerAccount: null },
    });
    expect(parseBuilt(build(UPGRADEABLE, 0, [], 1))?.parsed).toEqual({
      type: 'initializeBuffer',
      info: { account: address(1) },
    });
  });
});

function build(programId: PublicKey, type: number, args: readonly number[], accounts: number) {
  const keys = Array.from({ length: accounts }, (_, index) => ({
    pubkey: key(index + 1),
    isSigner: false,
    isWritable: true,
  }));
  return new TransactionInstruction({ programId, keys, data: Buffer.from([type, 0, 0, 0, ...args]) });
}
