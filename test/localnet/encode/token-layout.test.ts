import { MultisigLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { readMint, readMultisig, readTokenAccount } from '../../../src/localnet/encode/token-layout.ts';
import { address, key } from './instruction-case.ts';
import { mintBytes, tokenAccountBytes, withExtensions } from './token-bytes.ts';

const PLAIN_ACCOUNT = {
  mint: address(1),
  owner: address(2),
  amount: 42n,
  delegate: null,
  state: 'initialized',
  nativeReserve: null,
  delegatedAmount: 0n,
  closeAuthority: null,
  extensions: [],
};

describe('token account', () => {
  test('reads what the library wrote', () => {
    expect(readTokenAccount(tokenAccountBytes())).toEqual(PLAIN_ACCOUNT);
    const full = tokenAccountBytes({
      amount: 2n ** 64n - 1n,
      delegateOption: 1,
      delegate: key(4),
      state: 2,
      isNativeOption: 1,
      isNative: 2_039_280n,
      delegatedAmount: 7n,
      closeAuthorityOption: 1,
      closeAuthority: key(5),
    });
    expect(readTokenAccount(full)).toEqual({
      ...PLAIN_ACCOUNT,
      amount: 2n ** 64n - 1n,
      delegate: address(4),
      state: 'frozen',
      nativeReserve: 2_039_280n,
      delegatedAmount: 7n,
      closeAuthority: address(5),
    });
  });

  test('ignores the place of an option that is not set', () => {
    const data = tokenAccountBytes({ delegateOption: 0, delegate: key(4) });
    expect(readTokenAccount(data)?.delegate).toBeNull();
  });

  test('refuses uninitialized and damaged data', () => {
    expect(readTokenAccount(tokenAccountBytes({ state: 0 }))).toBeUndefined();
    expect(readTokenAccount(tokenAccountBytes({ state: 3 }))).toBeUndefined();
    expect(readTokenAccount(tokenAccountBytes({ delegateOption: 2 }))).toBeUndefined();
    expect(readTokenAccount(tokenAccountBytes().subarray(1))).toBeUndefined();
    expect(readTokenAccount(new Uint8Array())).toBeUndefined();
  });
});

describe('mint', () => {
  const PLAIN_MINT = {
    mintAuthority: address(3),
    supply: 4200n,
    decimals: 2,
    freezeAuthority: null,
    extensions: [],
  };

  test('reads what the library wrote', () => {
    expect(readMint(mintBytes())).toEqual(PLAIN_MINT);
    const frozen = mintBytes({ mintAuthorityOption: 0, freezeAuthorityOption: 1, freezeAuthority: key(9) });
    expect(readMint(frozen)).toEqual({ ...PLAIN_MINT, mintAuthority: null, freezeAuthority: address(9) });
  });

  test('refuses uninitialized and damaged data', () => {
    expect(readMint(mintBytes({ isInitialized: false }))).toBeUndefined();
    expect(readMint(mintBytes().subarray(0, 81))).toBeUndefined();
    expect(readMint(new Uint8Array(100))).toBeUndefined();
  });
});

describe('extensions', () => {
  const entry = [7, new Uint8Array()] as const;
  const other = [11, Uint8Array.of(1)] as const;

  test('are listed in order behind the type byte', () => {
    const extensions = [
      { type: 7, value: new Uint8Array() },
      { type: 11, value: Uint8Array.of(1) },
    ];
    expect(readTokenAccount(withExtensions(tokenAccountBytes(), entry, other))?.extensions).toEqual(
      extensions,
    );
    expect(readMint(withExtensions(mintBytes(), entry, other))?.extensions).toEqual(extensions);
  });

  test('distinguishes mints from accounts', () => {
    expect(readMint(withExtensions(tokenAccountBytes(), entry))).toBeUndefined();
    expect(readTokenAccount(withExtensions(mintBytes(), entry))).toBeUndefined();
  });

  test('end at an unused entry or at fewer bytes than a type has', () => {
    const data = withExtensions(tokenAccountBytes(), entry);
    const padded = (...bytes: number[]) =>
      readTokenAccount(Uint8Array.from([...data, ...bytes]))?.extensions.length;
    expect(padded(0, 0, 9, 9, 9, 9, 9)).toBe(1);
    expect(padded(8)).toBe(1);
  });

  test('count as none if the list is damaged, while the account stays valid', () => {
    const data = withExtensions(tokenAccountBytes(), entry, other);
    expect(readTokenAccount(data.subarray(0, -1))).toEqual(PLAIN_ACCOUNT);
    expect(readTokenAccount(Uint8Array.from([...data, 8, 0, 1]))).toEqual(PLAIN_ACCOUNT);
  });
});

describe('multisignature authority', () => {
  const bytes = (parts: object) => {
    const data = new Uint8Array(MultisigLayout.span);
    const none = Object.fromEntries(
      Array.from({ length: 11 }, (_, n) => [`signer${n + 1}`, PublicKey.default]),
    );
    MultisigLayout.encode({ m: 2, n: 3, isInitialized: true, ...none, ...parts } as never, data);
    return data;
  };

  test('reads the signers that are set', () => {
    const data = bytes({ signer1: key(1), signer2: key(2), signer3: key(3) });
    const signers = [address(1), address(2), address(3)];
    expect(readMultisig(data)).toEqual({ requiredSigners: 2, validSigners: 3, signers });
  });

  test('is never taken for an account or a mint, nor they for it', () => {
    const data = bytes({ signer1: key(1) });
    expect(readTokenAccount(data)).toBeUndefined();
    expect(readMint(data)).toBeUndefined();
    expect(readMultisig(tokenAccountBytes())).toBeUndefined();
    expect(readMultisig(bytes({ isInitialized: false }))).toBeUndefined();
  });
});
