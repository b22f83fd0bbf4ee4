import { Secret, TOTP } from 'otpauth';
import { query } from './query.ts';

/** The authenticator app of an account. */
export type Authenticator = {
  /** A code that works now. */
  readonly code: () => Promise<string>;
  /** A code that no app shows. */
  readonly wrongCode: () => string;
};

/**
 * Shows the codes of a secret. Where the database of the server is given, the server forgets which codes it has taken, so that nobody
 * has to wait for the next one.
 */
export function createAuthenticator(secret: string, databaseUrl?: string): Authenticator {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return {
    code: async () => {
      if (databaseUrl !== undefined) await query(databaseUrl, 'update two_factors set last_step = null');
      return totp.generate();
    },
    wrongCode: () => {
      const code = totp.generate();
      return totp.validate({ token: '000000', window: 3 }) === null ? '000000' : code.replace(/./g, '1');
    },
  };
}
