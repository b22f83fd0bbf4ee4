import { codewordsOf } from './qr-codewords.ts';
import { drawPatterns, type QrGrid } from './qr-patterns.ts';
import { penaltyOf } from './qr-penalty.ts';
import { findVersion, type QrVersion } from './qr-version.ts';

/** Modules of a symbol by row and column; true is dark. */
export type QrSymbol = readonly (readonly boolean[])[];

/** Which modules each mask turns over, ISO/IEC 18004:2015 table 10. */
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * Returns the QR code of a text: UTF-8 in byte mode, error correction level M, the smallest version, the mask that is easiest to
 * read. Throws RangeError for more than 2,331 bytes.
 */
export function encodeQr(text: string): QrSymbol {
  const bytes = new TextEncoder().encode(text);
  const version = findVersion(bytes.length);
  const codewords = codewordsOf(bytes, version);
  const symbols = MASKS.map((_, mask) => drawSymbol(codewords, version, mask));
  const penalties = symbols.map(penaltyOf);
  return symbols[penalties.indexOf(Math.min(...penalties))] ?? [];
}

/** Draws codewords with a mask, 0 to 7. */
export function drawSymbol(codewords: readonly number[], version: QrVersion, mask: number): QrSymbol {
  const grid = drawPatterns(version, mask);
  const isMasked = MASKS[mask] ?? (() => false);
  let bit = 0;
  for (const [x, y] of freeModules(grid)) {
    const isDark = (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
    const row = grid[y];
    if (row !== undefined) row[x] = isDark !== isMasked(x, y);
    bit += 1;
  }
  return grid.map((row) => row.map((isDark) => isDark === true));
}

/** Modules without a pattern, in pairs of columns from the right: up, down, up and so on, past the column of the timing. */
function freeModules(grid: QrGrid): readonly (readonly [x: number, y: number])[] {
  const size = grid.length;
  const rights = Array.from({ length: size - 1 }, (_, index) => index + 1)
    .map((x) => (x <= 6 ? x - 1 : x))
    .filter((x) => (x > 6 ? x % 2 === 0 : x % 2 === 1))
    .reverse();
  return rights.flatMap((right, pair) =>
    Array.from({ length: size }, (_, step) => (pair % 2 === 0 ? size - 1 - step : step)).flatMap((y) =>
      [right, right - 1].filter((x) => grid[y]?.[x] === undefined).map((x) => [x, y] as const),
    ),
  );
}
