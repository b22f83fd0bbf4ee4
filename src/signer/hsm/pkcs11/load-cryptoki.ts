import { serviceError } from '../../../base/service-error.ts';
import type { Cryptoki } from './cryptoki.ts';

/** An optional package: the name is a value, so that nothing here needs it to be installed. */
const PACKAGE: string = 'pkcs11js';

/**
 * Loads the PKCS#11 package, and the token's library into it.
 *
 * @throws ServiceError `signerNotStarted` that says which of them does not load, and what to do.
 */
export async function loadCryptoki(library: string): Promise<Cryptoki> {
  const cryptoki = await createCryptoki();
  try {
    cryptoki.load(library);
  } catch (error) {
    throw serviceError('signerNotStarted', {
      reason: `the PKCS#11 library ${library} (hsm.pkcs11.library, KEYSLOT_PKCS11_LIBRARY) does not load: ${messageOf(error)}`,
    });
  }
  return cryptoki;
}

async function createCryptoki(): Promise<Cryptoki> {
  try {
    const { default: pkcs11js } = (await import(PACKAGE)) as { default: { PKCS11: new () => Cryptoki } };
    return new pkcs11js.PKCS11();
  } catch (error) {
    throw serviceError('signerNotStarted', {
      reason: `hsm.kind pkcs11 needs the optional package ${PACKAGE}, which does not load (${messageOf(error)}); it is built at install by a C++ compiler: npm rebuild ${PACKAGE}`,
    });
  }
}

/** On one line. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
