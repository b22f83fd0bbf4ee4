import { TOTP, Secret } from 'otpauth';

// Time-based one-time passwords (RFC 6238) as every authenticator app supports them: SHA-1, 30 seconds, 6 digits.

const PERIOD_SECONDS = 30;
const OPTIONS = { issuer: 'Keyslot', algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;
const CODE = /^[0-9]{6}$/;

/** Size of a secret in bytes: that of SHA-1, as RFC 4226 section 4 recommends. */
export const SECRET_BYTES = 20;

/** A secret as users enter it in an app: as a URI (often shown as a QR code), or typed in as base-32. */
export type ShownSecret = { readonly uri: string; readonly secret: string };

/** Returns the printable forms of a secret. */
export function showSecret(secret: Uint8Array, label: string): ShownSecret {
  const totp = new TOTP({ ...OPTIONS, label, secret: holdSecret(secret) });
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

/** A code without the spaces and dashes that apps show it with: `123 456`. */
export function plainCode(code: string): string {
  return code.replaceAll(/[\s\p{Pd}]/gu, '');
}

/**
 * Returns the time step that a code belongs to, with or without spaces and dashes: the present one, the one before or the one after;
 * undefined if it belongs to none. Codes
 * are compared in constant time.
 */
export function findStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const token = plainCode(code);
  if (!CODE.test(token)) return undefined;
  const delta = TOTP.validate({
    ...{ ...OPTIONS, secret: holdSecret(secret), token, timestamp: nowMs },
    window: 1,
  });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp: nowMs }) + delta;
}

/** True when this was the code of a step. */
export function isCodeOfStep(secret: Uint8Array, code: string, step: number): boolean {
  return findStep(secret, code, step * PERIOD_SECONDS * 1_000) !== undefined;
}

function holdSecret(secret: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(secret).buffer });
}
