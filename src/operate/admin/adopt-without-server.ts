import type { Config } from '../../../generated/config.ts';
import { adoptSigner } from '../../account/signer-records/adopt-signer.ts';
import type { Clock } from '../../core/clock.ts';
import { serviceError } from '../../core/service-error.ts';
import { type SignerLauncher, startSigner } from '../../signer/signer.ts';
import type { RecordDeps } from '../../account/signer-records/publish-record.ts';
import type { Store } from '../../store/open-store.ts';
import type { Logger } from 'pino';

/** The result of `keyslot signer adopt --json`. */
export type AdoptionResult = {
  /** The signer's own key, its first 16 digits. */
  readonly signer: string;
  /** Destroyed keys in its record, and the number of those that were added from the store. */
  readonly destroyed_keys: number;
  readonly destroyed_keys_from_store: number;
  /** The signers that the store no longer accepts. */
  readonly forgotten_signers: readonly string[];
};

export type AdoptionDeps = Pick<RecordDeps, 'headsFile'> & {
  readonly store: Store;
  readonly dataDir: string;
  readonly hsm: Config['hsm'];
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Makes the store accept the signer of a data directory, as it is; a new signer where the directory has none. The caller holds the
 * store.
 *
 * @throws ServiceError `signerNotStarted`, `storeUnavailable`.
 */
export async function adoptWithoutServer(deps: AdoptionDeps): Promise<AdoptionResult> {
  const { dataDir, hsm, log, launcher } = deps;
  const start = { mayCreate: true, acceptsLoss: true };
  const { signer } = await startSigner({ dataDir, config: { hsm }, log, start, launcher });
  try {
    const publicKey = await signer.auditPublicKey();
    const {
      signer: name,
      destroyedKeys,
      fromStore,
      forgotten,
    } = await adoptSigner({ ...deps, signer, publicKey });
    return {
      signer: name,
      destroyed_keys: destroyedKeys,
      destroyed_keys_from_store: fromStore,
      forgotten_signers: forgotten,
    };
  } finally {
    await signer.close();
  }
}

/** Refuses to adopt a signer while a server runs, which keeps its own signer. @throws ServiceError `invalidCommand`, always. */
export function refuseAdoption(): never {
  throw serviceError('invalidCommand', {
    reason:
      'a server is running on this data directory with the signer that its store accepts; stop it first',
  });
}
