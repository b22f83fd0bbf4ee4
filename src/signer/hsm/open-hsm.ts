import type { Config } from '../../../generated/config.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Hsm, HsmDirectory } from './hsm.ts';
import { checkPkcs11Files, openPkcs11 } from './pkcs11/open-pkcs11.ts';

/**
 * Opens the key backend of the configuration.
 *
 * @throws ServiceError `signerNotStarted` or `tokenPinRefused` for failures that an operator must fix; `keyBackendFailed` for temporary ones.
 */
export async function openHsm(config: Config['hsm'], files: HsmDirectory): Promise<Hsm> {
  switch (config.kind) {
    case 'soft':
      return (await loadSoft()).openConfiguredSoft(config.soft, files);
    case 'pkcs11':
      if (config.pkcs11 === undefined) throw refuse('hsm.pkcs11 is missing');
      return openPkcs11(config.pkcs11);
    default:
      config.kind satisfies never;
      throw refuse('hsm.kind is unknown');
  }
}

/**
 * Reads the files that the configuration names as the signer does, and opens no token. Files of the signer's own directory are not looked
 * at.
 *
 * @throws ServiceError `signerNotStarted`.
 */
export async function checkHsmFiles({ kind, soft, pkcs11 }: Config['hsm']): Promise<void> {
  if (kind === 'pkcs11' && pkcs11 !== undefined) return checkPkcs11Files(pkcs11);
  const { master_key_file: masterKeyFile, previous_master_key_file: previousMasterKeyFile } = soft;
  if (masterKeyFile === undefined) return;
  await (await loadSoft()).openCredentialMasterKeys({ masterKeyFile, previousMasterKeyFile });
}

/** Loaded on use only: it needs a native module, which a platform with keys in a token may lack. */
async function loadSoft() {
  try {
    return await import('./soft/open-configured-soft.ts');
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).split('\n')[0];
    throw refuse(`hsm.kind soft needs the package sodium-native, which does not load here (${text})`);
  }
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });
