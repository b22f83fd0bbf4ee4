import type { UiTokenAmount } from '../../../generated/ledger/types.ts';

const U64_MAX = 2n ** 64n - 1n;

/**
 * Encodes an amount of base units in the node's form. `uiAmount` is a rounded double, null if 10^decimals exceeds a u64 (20 decimals and
 * more); `uiAmountString` is exact, without trailing zeros.
 */
export function tokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const scale = 10n ** BigInt(decimals);
  return {
    uiAmount: scale > U64_MAX ? null : Number(amount) / Number(scale),
    decimals,
    amount: amount.toString(),
    uiAmountString: trimZeros(decimalText(amount, decimals)),
  };
}

/** Prints `amount / 10^decimals` with exactly `decimals` places. */
export function decimalText(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Trims trailing zeros after the point, and a bare point. */
export function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
