import { useMemo } from 'react';
import { encodeQr } from './encode-qr.ts';
import { pathOf, QUIET } from './path-of-symbol.ts';

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
