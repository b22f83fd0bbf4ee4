import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../../generated/config.ts';
import { loadInstallationKey } from '../../../account/sealing/installation-key.ts';
import { openSecret } from '../../../account/identity/two-factor/sealed-secret.ts';
import type { CopySource } from '../../../store/copy/copy-source.ts';
import { isMissing } from '../../../gateway/streams/segments/list-segments.ts';
import type { Finding } from '../finding.ts';

const part = 'installation key';
const REMEDY =
  'give all servers of one store the same key with installation_key_file, or restore it from a backup; docs/decisions/0021-installation-key.md';

type KeyPlace = Pick<Config, 'data_dir'> & { readonly installation_key_file?: string | undefined };

/** Checks that the installation key opens the sealed data of the store: servers of one store may have different keys. Creates no key. */
export async function checkInstallationKey(
  source: Pick<CopySource, 'secondFactors'>,
  { data_dir: dataDir, installation_key_file: file }: KeyPlace,
): Promise<Finding> {
  const factors = await source.secondFactors();
  const path = file ?? join(dataDir, 'installation.key');
  const found = await access(path).catch((error: unknown) => error);
  if (isMissing(found)) {
    const detail = `${path} does not exist`;
    return factors.length === 0 && file === undefined
      ? { part, state: 'skipped', detail: `${detail} yet: the first start creates it` }
      : { part, state: 'wrong', detail, remedy: REMEDY };
  }
  const key = await loadInstallationKey({ dataDir, file });
  const isOpened = (one: (typeof factors)[number]): boolean => {
    try {
      return openSecret(key, one.ownerId, one.sealed).fill(0).length > 0;
    } catch {
      return false;
    }
  };
  const others = factors.filter((one) => !isOpened(one)).length;
  if (others > 0)
    return {
      part,
      state: 'wrong',
      remedy: REMEDY,
      detail: `${others} of ${factors.length} second factors in the store were sealed with another key than ${path}`,
    };
  const detail =
    factors.length === 0
      ? 'the store has no data yet that shows if it is the right one'
      : 'it opens the sealed data of the store';
  return { part, state: factors.length === 0 ? 'skipped' : 'ok', detail };
}
