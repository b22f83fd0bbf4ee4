import type { QrSymbol } from './encode-qr.ts';

/** Light modules around a symbol, which readers need. */
export const QUIET = 4;

/** Returns the dark modules as one path: a rectangle for each run of a row. */
export function pathOf(symbol: QrSymbol): string {
  return symbol
    .flatMap((row, y) =>
      [
        ...row
          .map((isDark) => (isDark ? '1' : '0'))
          .join('')
          .matchAll(/1+/g),
      ].map(({ 0: { length }, index }) => `M${index + QUIET} ${y + QUIET}h${length}v1h-${length}z`),
    )
    .join('');
}
