import { useMemo } from 'react';
import { encodeQr, type QrSymbol } from './encode-qr.ts';

/** Light modules around a symbol, which readers need. */
const QUIET = 4;

/** A text as a QR code, drawn here: dark on light in every theme. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const symbol = useMemo(() => encodeQr(text), [text]);
  const side = symbol.length + 2 * QUIET;
  return (
    <svg className="qr-code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <path className="qr-dark" d={pathOf(symbol)} />
    </svg>
  );
}

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
