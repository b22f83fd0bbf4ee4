import { AccountLayout, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { key } from './instruction-case.ts';

const NONE = PublicKey.default;

/** A token account as the library's layout writes it: owner 2, mint 1, initialized, nothing optional. */
export function tokenAccountBytes(parts: object = {}): Uint8Array {
  const data = new Uint8Array(AccountLayout.span);
  AccountLayout.encode(
    {
      mint: key(1),
      owner: key(2),
      amount: 42n,
      delegateOption: 0,
      delegate: NONE,
      state: 1,
      isNativeOption: 0,
      isNative: 0n,
      delegatedAmount: 0n,
      closeAuthorityOption: 0,
      closeAuthority: NONE,
      ...parts,
    },
    data,
  );
  return data;
}

/** An initialized mint with authority 3 and two decimals. */
export function mintBytes(parts: object = {}): Uint8Array {
  const data = new Uint8Array(MintLayout.span);
  MintLayout.encode(
    {
      mintAuthorityOption: 1,
      mintAuthority: key(3),
      supply: 4200n,
      decimals: 2,
      isInitialized: true,
      freezeAuthorityOption: 0,
      freezeAuthority: NONE,
      ...parts,
    },
    data,
  );
  return data;
}

/** A base state with the type byte of Token-2022 and its extensions behind it. */
export function withExtensions(
  base: Uint8Array,
  ...entries: readonly (readonly [type: number, value: Uint8Array])[]
) {
  const type = base.length === AccountLayout.span ? 2 : 1;
  const list = entries.map(([number, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(number, 0);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  });
  return new Uint8Array(
    Buffer.concat([base, Buffer.alloc(AccountLayout.span - base.length), Buffer.of(type), ...list]),
  );
}
