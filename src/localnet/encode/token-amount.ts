import type { UiTokenAmount } from '../../../generated/ledger/types.ts';
import { decodeBytes } from '../bytes/byte-reader.ts';
import { fixedText, shortestText } from './float-text.ts';
import { EXTENSION, type MintState } from './token-layout.ts';

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

const SECONDS_PER_YEAR = 60 * 60 * 24 * 365.24;
const BASIS_POINTS = 10_000;

/**
 * Encodes an amount of a mint's base units in the node's form. Token-2022 mints that bear interest or are scaled show the amount at
 * `nowSeconds` (Unix time), computed in doubles as the program does.
 */
export function mintAmount(amount: bigint, mint: MintState, nowSeconds: bigint): UiTokenAmount {
  const plain = tokenAmount(amount, mint.decimals);
  const shown = interestAmount(amount, mint, nowSeconds) ?? scaledAmount(amount, mint, nowSeconds);
  if (shown === undefined) return plain;
  if (!Number.isFinite(shown)) return { ...plain, uiAmount: null, uiAmountString: shortestText(shown) };
  const uiAmountString = trimZeros(fixedText(shown, mint.decimals));
  return { ...plain, uiAmount: Number(uiAmountString), uiAmountString };
}

/** Continuously compounded: the average rate up to the last change, then the current one. */
function interestAmount(amount: bigint, mint: MintState, nowSeconds: bigint): number | undefined {
  const config = read(mint, EXTENSION.interestBearingConfig, (reader) => {
    reader.address();
    const [start, average] = [reader.i64(), reader.i16()];
    const [update, current] = [reader.i64(), reader.i16()];
    return { start, average, update, current };
  });
  if (config === undefined) return undefined;
  const before = growth(config.average, config.update - config.start);
  const since = growth(config.current, nowSeconds - config.update);
  return Number(amount) * ((before * since) / 10 ** mint.decimals);
}

function growth(rateBasisPoints: number, seconds: bigint): number {
  return Math.exp(Number(BigInt(rateBasisPoints) * seconds) / SECONDS_PER_YEAR / BASIS_POINTS);
}

/** Multiplied, then cut to whole base units. */
function scaledAmount(amount: bigint, mint: MintState, nowSeconds: bigint): number | undefined {
  const config = read(mint, EXTENSION.scaledUiAmount, (reader) => {
    reader.address();
    return { multiplier: reader.f64(), from: reader.i64(), next: reader.f64() };
  });
  if (config === undefined) return undefined;
  const multiplier = nowSeconds >= config.from ? config.next : config.multiplier;
  return Math.trunc(Number(amount) * multiplier) / 10 ** mint.decimals;
}

function read<T>(mint: MintState, type: number, decode: Parameters<typeof decodeBytes<T>>[1]): T | undefined {
  const entry = mint.extensions.find((extension) => extension.type === type);
  return entry === undefined ? undefined : decodeBytes(entry.value, decode);
}
