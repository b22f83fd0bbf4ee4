import type { Config } from '../../../../generated/config.ts';
import { serviceError } from '../../../base/service-error.ts';
import { readSecretFile } from '../../files/read-secret-file.ts';

const MAX_PIN_BYTES = 256;

/**
 * Returns the PIN of the configuration, or of its file without a trailing line end. It is read again at each login.
 *
 * @throws ServiceError `signerNotStarted` if there is none.
 */
export async function readPin({
  pin,
  pin_file: path,
}: NonNullable<Config['hsm']['pkcs11']>): Promise<string> {
  if (pin !== undefined) return pin;
  if (path === undefined) throw refuse('hsm.pkcs11 needs pin_file or pin');
  const bytes = await readSecretFile(path, MAX_PIN_BYTES).catch((error: unknown) => {
    throw refuse(`hsm.pkcs11.pin_file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes === undefined) throw refuse(`hsm.pkcs11.pin_file ${path}: the file does not exist`);
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  bytes.fill(0);
  if (text === '' || bytes.length > MAX_PIN_BYTES) throw refuse(`hsm.pkcs11.pin_file ${path} holds no PIN`);
  return text;
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });
