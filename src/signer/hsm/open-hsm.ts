import type { Config } from '../../../generated/config.ts';
import { serviceError } from '../../service-error.ts';
import type { Hsm } from './hsm.ts';
import { openPkcs11 } from './pkcs11/open-pkcs11.ts';
import { openCredentialMasterKeys } from './soft/credential-master-keys.ts';
import { openSoft } from './soft/open-soft.ts';
import { openOwnMasterKeys } from './soft/own-master-keys.ts';

export type HsmPlace = {
  /** Where a backend may keep files of its own. */
  readonly directory: string;
  /** Whether nothing has been kept there before. */
  readonly isFirstStart: boolean;
};

/**
 * Opens the key backend of the configuration.
 *
 * @throws ServiceError `signerNotStarted` for what an operator must mend; `keyBackendFailed` for what may pass.
 */
export async function openHsm(config: Config['hsm'], place: HsmPlace): Promise<Hsm> {
  switch (config.kind) {
    case 'soft': {
      const { master_key_file: masterKeyFile, previous_master_key_file: previousMasterKeyFile } = config.soft;
      return openSoft(
        masterKeyFile === undefined
          ? await openOwnMasterKeys(place.directory, place)
          : await openCredentialMasterKeys({ masterKeyFile, previousMasterKeyFile }),
      );
    }
    case 'pkcs11':
      if (config.pkcs11 === undefined)
        throw serviceError('signerNotStarted', { reason: 'hsm.pkcs11 is missing' });
      return openPkcs11(config.pkcs11, { isMeasured: config.max_managed_batch === undefined });
    default:
      config.kind satisfies never;
      throw serviceError('signerNotStarted', { reason: 'hsm.kind is unknown' });
  }
}
