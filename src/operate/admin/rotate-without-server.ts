import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import { mayHaveNewSigner } from '../../account/signer-records/known-signers.ts';
import { type SignerLauncher, startSigner } from '../../signer/signer.ts';
import type { Store } from '../../store/open-store.ts';
import { createMasterRotation, type RotationResult } from './master-rotation.ts';

export type RotationWithoutServer = {
  readonly store: Pick<Store, 'db' | 'kind'>;
  readonly dataDir: string;
  readonly hsm: Config['hsm'];
  readonly log: Logger;
  readonly launcher?: SignerLauncher | undefined;
};

/**
 * Rotates the master key while no server runs, with a signer started for it. The caller holds the store.
 *
 * @throws ServiceError `signerNotStarted`, and the errors of `MasterRotation.run`.
 */
export async function rotateWithoutServer(options: RotationWithoutServer): Promise<RotationResult> {
  const { store, dataDir, hsm, log, launcher } = options;
  const start = { mayCreate: await mayHaveNewSigner(store) };
  const { signer } = await startSigner({ dataDir, config: { hsm }, log, start, launcher });
  const rotation = createMasterRotation({
    store,
    signer,
    log,
    previousMasterKeyFile: hsm.soft.previous_master_key_file,
    settled: async () => undefined,
  });
  return rotation.run().finally(() => signer.close());
}
