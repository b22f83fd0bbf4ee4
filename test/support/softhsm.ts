import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Why the tests of PKCS#11 do not run, and what would make them run. */
export const SOFTHSM_MISSING =
  'no SoftHSM 2 or no pkcs11js: provide them with `apt-get install softhsm2 && npm rebuild pkcs11js` (macOS: `brew install softhsm`), ' +
  'or name a SoftHSM library by KEYSLOT_TEST_SOFTHSM';

const LIBRARIES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/** A token that a test has for itself. */
export type TestToken = {
  readonly library: string;
  readonly label: string;
  readonly pin: string;
  /** The directory that the token is kept in: moved away, the token is removed. */
  readonly tokens: string;
  /** The value of SOFTHSM2_CONF in every process that uses the token. */
  readonly configFile: string;
};

/**
 * The SoftHSM library of this machine: KEYSLOT_TEST_SOFTHSM, or one where systems have it. Undefined when there is none.
 * @throws Error when there is none and CI=true, where a missing service is a failure.
 */
export function findSoftHsm(): string | undefined {
  const library = [process.env.KEYSLOT_TEST_SOFTHSM ?? '', ...LIBRARIES].find((path) => existsSync(path));
  if (library !== undefined && hasPkcs11js() && run('softhsm2-util', ['--version'])) return library;
  if (process.env.CI === 'true') throw new Error(SOFTHSM_MISSING);
  return undefined;
}

/** Makes a token in a directory. SOFTHSM2_CONF names it from now on, in this process too. */
export function newToken(library: string, directory: string): TestToken {
  const tokens = join(directory, 'tokens');
  const configFile = join(directory, 'softhsm2.conf');
  mkdirSync(tokens, { recursive: true });
  writeFileSync(configFile, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  process.env.SOFTHSM2_CONF = configFile;
  const token = { library, label: 'keyslot-test', pin: '738194', tokens, configFile };
  const init = [
    '--module',
    library,
    '--init-token',
    '--free',
    '--label',
    token.label,
    '--so-pin',
    '91827364',
    '--pin',
    token.pin,
  ];
  execFileSync('softhsm2-util', init, { stdio: 'ignore' });
  return token;
}

function hasPkcs11js(): boolean {
  try {
    createRequire(import.meta.url)('pkcs11js');
    return true;
  } catch {
    return false;
  }
}

function run(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
