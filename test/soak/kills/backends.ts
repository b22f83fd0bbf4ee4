import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../../support/softhsm.ts';

/** The targets of a kill: the server, its signer, or its store beneath it. */
export type Target = 'server' | 'signer' | 'store';

/** A store and a place for keys that a server is killed on. */
export type Backend = {
  readonly name: string;
  /** The part of all rounds that it gets. */
  readonly share: number;
  readonly targets: readonly Target[];
  /** True if it derives wallets from masters that it keeps. */
  readonly hasTrees: boolean;
  /** Managed wallets of a batch. */
  readonly batch: number;
  /** Undefined: it can be had on this machine. */
  readonly missing: string | undefined;
  readonly open: () => Promise<OpenBackend>;
};

export type OpenBackend = {
  readonly env: Readonly<Record<string, string>>;
  /** Ends the connections of its store, where the store is another process. */
  readonly killStore: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

/** More than the first group that a batch is committed in, which has 32. */
const BATCH = 40;
/** A token writes a file for each key. */
const SMALL_BATCH = 10;

/** All of them. The embedded store lives in the server's process: to kill one is to kill both. @throws Error where CI lacks one. */
export async function findBackends(): Promise<readonly Backend[]> {
  const [postgresUrl, library] = [await findPostgres(), findSoftHsm()];
  const softHsm = { targets: ['server', 'signer'], hasTrees: false } as const;
  const missingLibrary = library === undefined ? SOFTHSM_MISSING : undefined;
  return [
    {
      name: 'PGlite',
      share: 1 / 3,
      targets: ['server', 'signer'],
      hasTrees: true,
      batch: BATCH,
      missing: undefined,
      open: async () => withoutStore({}, async () => undefined),
    },
    {
      name: 'PostgreSQL',
      share: 1 / 3,
      targets: ['server', 'signer', 'store'],
      hasTrees: true,
      batch: BATCH,
      missing: postgresUrl === undefined ? POSTGRES_MISSING : undefined,
      open: () => openPostgres(postgresUrl ?? ''),
    },
    {
      name: 'SoftHSM, keys wrapped',
      share: 1 / 6,
      ...softHsm,
      batch: BATCH,
      missing: missingLibrary,
      open: () => openToken(library ?? '', '1'),
    },
    {
      name: 'SoftHSM, keys in it',
      share: 1 / 6,
      ...softHsm,
      batch: SMALL_BATCH,
      missing: missingLibrary,
      open: () => openToken(library ?? '', '0'),
    },
  ];
}

function withoutStore(env: OpenBackend['env'], remove: OpenBackend['remove']): OpenBackend {
  return { env, killStore: () => Promise.reject(new Error('the store is no process of its own')), remove };
}

async function openPostgres(serverUrl: string): Promise<OpenBackend> {
  const { url, breakOff, drop } = await createDatabase(serverUrl);
  return { env: { KEYSLOT_DATABASE_URL: url }, killStore: breakOff, remove: drop };
}

async function openToken(library: string, wrap: '0' | '1'): Promise<OpenBackend> {
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-token-'));
  const { label, pin, configFile } = newToken(library, directory);
  const env = {
    KEYSLOT_HSM_KIND: 'pkcs11',
    KEYSLOT_PKCS11_LIBRARY: library,
    KEYSLOT_PKCS11_TOKEN: label,
    KEYSLOT_PKCS11_PIN: pin,
    KEYSLOT_PKCS11_WRAP: wrap,
    SOFTHSM2_CONF: configFile,
  };
  return withoutStore(env, () => rm(directory, { recursive: true, force: true }));
}
