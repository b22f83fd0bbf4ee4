import type { Config } from '../../generated/config.ts';
import { adoptSigner } from '../account/signers/adopt-signer.ts';
import type { Clock } from '../base/clock.ts';
import { serviceError } from '../base/service-error.ts';
import { type SignerLauncher, startSigner } from '../signer/signer.ts';
import type { RecordPlaces } from '../account/signers/publish-record.ts';
import type { Store } from '../store/open-store.ts';
import type { Logger } from 'pino';

/** What `keyslot signer adopt --json` prints. */
export type AdoptionResult = {
  /** The signer's own key, its first 16 digits. */
  readonly signer: string;
  /** Destroyed keys in its record, and how many of them the store had and the record had not. */
  readonly destroyed_keys: number;
  readonly destroyed_keys_from_store: number;
  /** The signers that the store takes no more. */
  readonly forgotten_signers: readonly string[];
};

export type AdoptionPlaces = Pick<RecordPlaces, 'headsFile'> & {
  readonly store: Store;
  readonly dataDir: string;
  readonly hsm: Config['hsm'];
  /** How the signer is started, where not as a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Makes the signer of a data directory the store's, as it is; where it has none, a new one. To be called by who has the store.
 *
 * @throws ServiceError `signerNotStarted`, `storeUnavailable`.
 */
export async function adoptWithoutServer(places: AdoptionPlaces): Promise<AdoptionResult> {
  const { dataDir, hsm, log, launcher } = places;
  const start = { mayCreate: true, acceptsLoss: true };
  const { signer } = await startSigner({ dataDir, config: { hsm }, log, start, launcher });
  try {
    const publicKey = await signer.auditPublicKey();
    const {
      signer: name,
      destroyedKeys,
      fromStore,
      forgotten,
    } = await adoptSigner({ ...places, signer, publicKey });
    return {
      ...{ signer: name, destroyed_keys: destroyedKeys, destroyed_keys_from_store: fromStore },
      forgotten_signers: forgotten,
    };
  } finally {
    await signer.close();
  }
}

/** What a running server answers: it has opened its signer, and goes on with that. @throws ServiceError `invalidCommand`, always. */
export function refuseAdoption(): never {
  throw serviceError('invalidCommand', {
    reason: 'a server with an accepted signer is running on this data directory: stop it first',
  });
}
