import { useMemo } from 'react';
import { encode } from 'uqr';
import { pathOf } from './path-of-symbol.ts';

/** Light modules around a symbol, which readers need (ISO/IEC 18004:2015, 9.1). */
const QUIET = 4;

/** A text as a QR code, drawn here: dark on light in every theme. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = useMemo(() => encode(text, { ecc: 'M', border: QUIET }), [text]);
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path className="qr-dark" d={pathOf(data)} />
    </svg>
  );
}
