import {
  createAmountToUiAmountInstruction,
  ExtensionType,
  InterestBearingMintConfigStateLayout,
  ScaledUiAmountConfigLayout,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import * as kit from '@solana/kit';
import { Clock, LiteSVM, SimulatedTransactionInfo } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { mintAmount } from '../../../src/localnet/encode/token-amount.ts';
import { readMint } from '../../../src/localnet/encode/token-layout.ts';
import { address, key } from './instruction-case.ts';
import { mintBytes, withExtensions } from './token-bytes.ts';

const YEAR = 31_556_736;
const START = 1_600_000_000;

function interestMint(decimals: number, preUpdateAverageRate: number, currentRate: number): Uint8Array {
  const state = new Uint8Array(InterestBearingMintConfigStateLayout.span);
  // The library's type says bigint; its layout takes numbers only.
  const [initializationTimestamp, lastUpdateTimestamp] = [START, START + YEAR] as unknown as [bigint, bigint];
  InterestBearingMintConfigStateLayout.encode(
    {
      rateAuthority: key(1),
      initializationTimestamp,
      preUpdateAverageRate,
      lastUpdateTimestamp,
      currentRate,
    },
    state,
  );
  return withExtensions(mintBytes({ decimals }), [ExtensionType.InterestBearingConfig, state]);
}

function scaledMint(decimals: number, multiplier: number, newMultiplier: number): Uint8Array {
  const state = new Uint8Array(ScaledUiAmountConfigLayout.span);
  const newMultiplierEffectiveTimestamp = BigInt(START);
  ScaledUiAmountConfigLayout.encode(
    { authority: key(1), multiplier, newMultiplierEffectiveTimestamp, newMultiplier },
    state,
  );
  return withExtensions(mintBytes({ decimals }), [ExtensionType.ScaledUiAmountConfig, state]);
}

/** The token program's own text of an amount: AmountToUiAmount's return data. */
async function askProgram(mint: Uint8Array, amount: bigint, nowSeconds: number): Promise<string> {
  const runtime = new LiteSVM();
  runtime.setClock(new Clock(1n, 0n, 0n, 0n, BigInt(nowSeconds)));
  const payer = await kit.generateKeyPairSigner();
  runtime.airdrop(payer.address, kit.lamports(1_000_000_000n));
  runtime.setAccount({
    address: kit.address(address(5)),
    data: mint,
    executable: false,
    lamports: kit.lamports(1_000_000_000n),
    programAddress: kit.address(TOKEN_2022_PROGRAM_ID.toBase58()),
    space: BigInt(mint.length),
  });
  const { data } = createAmountToUiAmountInstruction(key(5), amount, TOKEN_2022_PROGRAM_ID);
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (each) => kit.setTransactionMessageFeePayerSigner(payer, each),
    (each) => runtime.setTransactionMessageLifetimeUsingLatestBlockhash(each),
    (each) =>
      kit.appendTransactionMessageInstruction(
        {
          programAddress: kit.address(TOKEN_2022_PROGRAM_ID.toBase58()),
          accounts: [{ address: kit.address(address(5)), role: kit.AccountRole.READONLY }],
          data,
        },
        each,
      ),
  );
  const result = runtime.simulateTransaction(await kit.signTransactionMessageWithSigners(message));
  if (!(result instanceof SimulatedTransactionInfo)) throw new Error(result.toString());
  return Buffer.from(result.meta().returnData().data()).toString();
}

const CASES: readonly (readonly [string, Uint8Array, bigint, number])[] = [
  ['plain', mintBytes({ decimals: 6 }), 1_500_000n, START],
  ['plain, the greatest amount', mintBytes({ decimals: 9 }), 2n ** 64n - 1n, START],
  ['interest for a year', interestMint(2, 500, 500), 10_000n, START + YEAR],
  ['interest at two rates', interestMint(6, 300, -700), 1_234_567_890n, START + 3 * YEAR],
  ['interest, no decimals', interestMint(0, 500, 500), 1000n, START + YEAR],
  ['interest, the greatest amount', interestMint(9, 32_767, 32_767), 2n ** 64n - 1n, START + 2 * YEAR],
  ['scaled, before the change', scaledMint(2, 1.5, 7), 333n, START - 1],
  ['scaled, from the change on', scaledMint(2, 1.5, 0.7), 333n, START],
  ['scaled, the greatest amount', scaledMint(9, 1, 1e9), 2n ** 64n - 1n, START],
];

test.each(CASES)('shows the same as the token program: %s', async (_name, data, amount, now) => {
  const mint = readMint(data);
  const shown = mint && mintAmount(amount, mint, BigInt(now));
  expect(shown?.uiAmountString).toBe(await askProgram(data, amount, now));
  expect(shown?.uiAmount).toBeCloseTo(Number(shown?.uiAmountString), 6);
  expect(shown).toMatchObject({ amount: amount.toString(), decimals: mint?.decimals });
});

describe('mints with settings that no one would want', () => {
  test('have an answer where there are more decimals than digits', () => {
    const mint = readMint(scaledMint(255, 2, 2));
    expect(mint && mintAmount(5n, mint, 0n).uiAmountString).toMatch(/^0\.0{253}1$/);
  });

  test('have no number where the amount is beyond one', () => {
    const mint = readMint(scaledMint(0, Number.MAX_VALUE, Number.MAX_VALUE));
    expect(mint && mintAmount(100n, mint, 0n)).toMatchObject({ uiAmount: null, uiAmountString: 'inf' });
    const none = readMint(scaledMint(0, Number.NaN, Number.NaN));
    expect(none && mintAmount(100n, none, 0n)).toMatchObject({ uiAmount: null, uiAmountString: 'NaN' });
  });
});
