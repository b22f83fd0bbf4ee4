import type { Config } from '../../../../generated/config.ts';
import type { Hsm, HsmPlace } from '../hsm.ts';
import { openCredentialMasterKeys } from './credential-master-keys.ts';
import { openSoft } from './open-soft.ts';
import { openOwnMasterKeys } from './own-master-keys.ts';

/**
 * Opens `soft` with the master key that is configured, or with one of its own.
 *
 * @throws ServiceError `signerNotStarted` if the master key cannot be had.
 */
export async function openConfiguredSoft(settings: Config['hsm']['soft'], place: HsmPlace): Promise<Hsm> {
  const { master_key_file: masterKeyFile, previous_master_key_file: previousMasterKeyFile } = settings;
  return openSoft(
    masterKeyFile === undefined
      ? await openOwnMasterKeys(place.directory, place)
      : await openCredentialMasterKeys({ masterKeyFile, previousMasterKeyFile }),
  );
}
