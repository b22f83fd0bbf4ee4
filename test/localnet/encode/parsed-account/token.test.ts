import { MultisigLayout, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { accountOf, parseChecked } from '../account-case.ts';
import { address, key } from '../instruction-case.ts';
import { mintBytes, tokenAccountBytes, withExtensions } from '../token-bytes.ts';

const mints = new Map([[address(1), accountOf({ data: mintBytes() })]]);
const terms = { mintOf: (mint: string) => mints.get(mint), nowSeconds: 0n };
const amount = (units: number, text: string) => ({
  uiAmount: Number(text),
  decimals: 2,
  amount: units.toString(),
  uiAmountString: text,
});

describe.each([
  ['spl-token', TOKEN_PROGRAM_ID.toBase58()],
  ['spl-token-2022', TOKEN_2022_PROGRAM_ID.toBase58()],
])('%s', (program, owner) => {
  const parse = (data: Uint8Array) => parseChecked(address(9), accountOf({ data, owner }), terms);

  test('parses a plain account without the members it does not have', () => {
    expect(parse(tokenAccountBytes())).toEqual({
      program,
      parsed: {
        type: 'account',
        info: {
          mint: address(1),
          owner: address(2),
          tokenAmount: amount(42, '0.42'),
          state: 'initialized',
          isNative: false,
        },
      },
      space: 165n,
    });
  });

  test('parses delegate, close authority and rent reserve where there are any', () => {
    const data = tokenAccountBytes({
      delegateOption: 1,
      delegate: key(4),
      delegatedAmount: 7n,
      state: 2,
      isNativeOption: 1,
      isNative: 200n,
      closeAuthorityOption: 1,
      closeAuthority: key(5),
    });
    expect(parse(data)?.parsed).toEqual({
      type: 'account',
      info: {
        mint: address(1),
        owner: address(2),
        tokenAmount: amount(42, '0.42'),
        delegate: address(4),
        delegatedAmount: amount(7, '0.07'),
        state: 'frozen',
        isNative: true,
        rentExemptReserve: amount(200, '2'),
        closeAuthority: address(5),
      },
    });
  });

  test('does not parse an account whose mint is unknown', () => {
    expect(parse(tokenAccountBytes({ mint: key(8) }))).toBeUndefined();
  });

  test('parses a mint', () => {
    expect(
      parse(mintBytes({ mintAuthorityOption: 0, freezeAuthorityOption: 1, freezeAuthority: key(6) })),
    ).toEqual({
      program,
      parsed: {
        type: 'mint',
        info: {
          mintAuthority: null,
          supply: '4200',
          decimals: 2,
          isInitialized: true,
          freezeAuthority: address(6),
        },
      },
      space: 82n,
    });
  });

  test('parses a multisignature authority', () => {
    const data = new Uint8Array(MultisigLayout.span);
    const none = Object.fromEntries(
      Array.from({ length: 11 }, (_, n) => [`signer${n + 1}`, PublicKey.default]),
    );
    MultisigLayout.encode({ m: 1, n: 1, isInitialized: true, ...none, signer1: key(7) } as never, data);
    expect(parse(data)).toEqual({
      program,
      parsed: {
        type: 'multisig',
        info: { numRequiredSigners: 1, numValidSigners: 1, isInitialized: true, signers: [address(7)] },
      },
      space: 355n,
    });
  });

  test('does not parse other data', () => {
    expect(parse(new Uint8Array(4))).toBeUndefined();
    expect(parse(new Uint8Array(165))).toBeUndefined();
  });

  test('lists extensions where there are any', () => {
    const data = withExtensions(tokenAccountBytes(), [7, new Uint8Array()]);
    expect(parse(data)?.parsed).toMatchObject({ info: { extensions: [{ extension: 'immutableOwner' }] } });
    expect(parse(withExtensions(tokenAccountBytes()))?.parsed).not.toHaveProperty('info.extensions');
  });
});
