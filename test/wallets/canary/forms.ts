import { base58 } from '@scure/base';
import { formsOf } from '../../signer/fixture/scan-memory.ts';

/** The forms in which a secret text may have been written somewhere, as bytes to look for. */
export function formsOfText(text: string): Readonly<Record<string, Buffer>> {
  const bytes = Buffer.from(text);
  // The ends of base-64 depend on the bytes next to it, and its beginning on those ahead: three ways to begin.
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return [`base64 from ${shift}`, Buffer.from(whole.slice(shift === 0 ? 0 : 4, -4))] as const;
  });
  return {
    raw: bytes,
    'two bytes each': Buffer.from(text, 'utf16le'),
    hex: Buffer.from(bytes.toString('hex')),
    'hex in capitals': Buffer.from(bytes.toString('hex').toUpperCase()),
    'in an address': Buffer.from(encodeURIComponent(text)),
    'in a form': Buffer.from(new URLSearchParams({ '': text }).toString().slice(1)),
    ...Object.fromEntries(shifted),
  };
}

/** The forms of a secret key in base-58, and of the seed in it. */
export function formsOfSecretKey(secretKey: string): Readonly<Record<string, Buffer>> {
  const seed = base58.decode(secretKey).subarray(0, 32);
  const ofSeed = Object.entries(formsOf(seed)).map(([form, bytes]) => [`seed, ${form}`, bytes] as const);
  return { ...formsOfText(secretKey), ...Object.fromEntries(ofSeed) };
}

/** Which of the secrets is in some bytes, and in which form. */
export function foundIn(
  bytes: Buffer,
  secrets: Readonly<Record<string, Readonly<Record<string, Buffer>>>>,
): readonly string[] {
  return Object.entries(secrets).flatMap(([name, forms]) =>
    Object.entries(forms).flatMap(([form, pattern]) => (bytes.includes(pattern) ? [`${name}: ${form}`] : [])),
  );
}
