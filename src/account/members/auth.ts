import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/open-store.ts';
import type { InstallationKey } from '../installation-key.ts';
import { createKeyText } from '../key-text.ts';
import { createAuthAdapter } from './auth-adapter.ts';
import { type PasswordHash, PASSWORD_LENGTH } from './hash-password.ts';

/** Sign-in by password, by Better Auth. */
export type Auth = {
  /**
   * Creates a session that belongs to no member yet, for the right password of a login.
   * @returns its token; undefined when there is no such login or the password is another, which takes the same time.
   */
  readonly startSession: (sent: Credentials) => Promise<string | undefined>;
};

export type Credentials = { readonly email: string; readonly password: string };

export type AuthDeps = {
  readonly store: Pick<Store, 'db'>;
  readonly installationKey: InstallationKey;
  readonly passwords: PasswordHash;
};

/** How long a session lasts. */
export const SESSION_SECONDS = 7 * 86_400;

/** Returns Better Auth on the store. It is loaded at the first call, since that takes time and memory that servers without members save. */
export function createAuth(deps: AuthDeps): Auth {
  let opening: ReturnType<typeof openBetterAuth> | undefined;
  const open = (): ReturnType<typeof openBetterAuth> => (opening ??= openBetterAuth(deps));
  return {
    startSession: async (body) => {
      const { api } = await open();
      const { isAPIError } = await import('better-auth/api');
      try {
        return (await api.signInEmail({ body })).token;
      } catch (error) {
        if (isAPIError(error) && error.status === 'UNAUTHORIZED') return undefined;
        throw error;
      }
    },
  };
}

async function openBetterAuth({ store, installationKey, passwords }: AuthDeps) {
  const { betterAuth } = await import('better-auth/minimal');
  const { minimum, limit } = PASSWORD_LENGTH;
  return betterAuth({
    appName: 'Keyslot',
    // Names no server: the router is not mounted, and no cookie is set.
    baseURL: 'http://keyslot.invalid',
    secret: installationKey.derive('session cookies').export().toString('base64url'),
    database: await createAuthAdapter(store.db),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: minimum,
      maxPasswordLength: limit,
      password: passwords,
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    verification: { storeIdentifier: 'hashed' },
    databaseHooks: {
      session: {
        create: { before: async (session) => ({ data: { ...session, token: createKeyText('ks_ses_') } }) },
      },
    },
    advanced: { database: { generateId: () => randomUUID() } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  });
}
