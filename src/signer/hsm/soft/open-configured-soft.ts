import type { Config } from '../../../../generated/config.ts';
import { loadEngineOf } from '../../../keys/load-engine.ts';
import type { KeyEngine } from '../../../keys/engine.ts';
import { assertKnownAnswers } from '../../../keys/known-answers.ts';
import { serviceError } from '../../../base/service-error.ts';
import type { Hsm, HsmDirectory } from '../hsm.ts';
import { openCredentialMasterKeys } from './credential-master-keys.ts';
import { openSoft } from './open-soft.ts';
import { openOwnMasterKeys } from './own-master-keys.ts';

/**
 * Opens `soft` with the configured master key, or with one of its own.
 *
 * @param loadEngine loads the key engine, which must pass published test vectors before it is used.
 * @throws ServiceError `signerNotStarted` if the master key is not available, or the engine gives a wrong answer.
 */
export async function openConfiguredSoft(
  settings: Config['hsm']['soft'],
  files: HsmDirectory,
  loadEngine: () => Promise<KeyEngine> = () => loadEngineOf('native'),
): Promise<Hsm> {
  const engine = await loadEngine();
  assertProven(engine);
  const { master_key_file: masterKeyFile, previous_master_key_file: previousMasterKeyFile } = settings;
  const masters =
    masterKeyFile === undefined
      ? await openOwnMasterKeys(files.directory, files)
      : await openCredentialMasterKeys({ masterKeyFile, previousMasterKeyFile });
  return openSoft(engine, masters);
}

function assertProven(engine: KeyEngine): void {
  try {
    assertKnownAnswers(engine);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('signerNotStarted', { reason }, error);
  }
}
