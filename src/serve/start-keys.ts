import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { HeadKey } from '../account/audit/sign-heads.ts';
import type { Metrics } from '../server/access/metrics.ts';
import { loadEngineOf, loadKeyEngine } from '../core/keys/load-engine.ts';
import { createKeyPool, type KeyPool, type KeyPoolOptions } from '../core/keys/pool.ts';
import type { WatchedSigner } from './readiness.ts';
import { serviceError } from '../core/service-error.ts';
import { createSignerProbe } from '../signer/probe.ts';
import { createSealedWork, type SealedWork } from '../signer/sealed-work.ts';
import { type Signer, type SignerOptions, startSigner } from '../signer/signer.ts';

/** The sources of keys: the signer makes the keys that it keeps, the pool those that clients get. */
export type Keys = {
  readonly signer: Signer;
  readonly pool: KeyPool;
  /** The signer's own key, which signs the audit log heads. */
  readonly headKey: HeadKey;
  readonly watched: WatchedSigner;
  /** Tracks work on sealed keys: see `SealedWork`. */
  readonly sealedWork: SealedWork;
  /** Stops both. Call it when no request is in flight any more, before the store is closed. */
  readonly close: () => Promise<void>;
};

export type KeysOptions = {
  readonly config: Pick<Config, 'data_dir' | 'hsm' | 'wallets' | 'workers'>;
  /** Resolves when this process owns the data directory: the signer is not started before. */
  readonly ownsDirectory: Promise<unknown>;
  /** Resolves to true if the signer may create missing files. Default: it may. */
  readonly mayCreateSigner?: Promise<boolean>;
  readonly metrics: Pick<Metrics, 'watchChild'>;
  readonly log: Logger;
  /** Replaces the loading of the pool's engine and the start of the signer. */
  readonly loadEngine?: KeyPoolOptions['loadEngine'];
  readonly launcher?: SignerOptions['launcher'];
};

/** The maximum of `wallets.key_threads`. */
const MAX_THREADS = 64;

/**
 * Starts the key pool and the signer side by side. If one fails, the other is stopped.
 *
 * @throws ServiceError `keyGenerationNotStarted` if a known-answer test fails; `signerNotStarted`, `tokenPinRefused`; the rejection of
 *   `ownsDirectory`.
 */
export async function startKeys(options: KeysOptions): Promise<Keys> {
  const { ownsDirectory, metrics } = options;
  const poolStarts = startPool(options);
  const signerStarts = ownsDirectory.then(() => startConfiguredSigner(options));
  try {
    const [pool, { signer, child }] = await Promise.all([poolStarts, signerStarts]);
    metrics.watchChild('signer', () => ({ isReady: child.state === 'ready', restarts: child.restarts }));
    return {
      signer,
      pool,
      headKey: { publicKey: signer.auditPublicKey, signHead: signer.signAuditHead },
      sealedWork: createSealedWork(),
      watched: { backend: signer.capabilities().kind, child, probe: createSignerProbe(signer) },
      close: async () => {
        await Promise.all([pool.close(), signer.close()]);
      },
    };
  } catch (error) {
    const [pool, signer] = await Promise.allSettled([poolStarts, signerStarts]);
    if (pool.status === 'fulfilled') await pool.value.close();
    if (signer.status === 'fulfilled') await signer.value.signer.close();
    throw error;
  }
}

async function startPool({ config, log, loadEngine }: KeysOptions): Promise<KeyPool> {
  const threads = config.wallets.key_threads ?? defaultThreads(config);
  try {
    return await createKeyPool({ threads, log, loadEngine: loadEngine ?? chosenEngine(config) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('keyGenerationNotStarted', { reason }, error);
  }
}

/** The reference engine is loaded where the settings ask for it. */
function chosenEngine({ wallets }: Pick<Config, 'wallets'>): typeof loadKeyEngine {
  return wallets.key_engine === 'reference' ? () => loadEngineOf('reference') : loadKeyEngine;
}

/** The workers of a machine share its cores. */
function defaultThreads({ workers }: Pick<Config, 'workers'>): number {
  return Math.max(1, Math.floor(Math.min(availableParallelism(), MAX_THREADS) / workers));
}

async function startConfiguredSigner({ config, log, launcher, mayCreateSigner }: KeysOptions) {
  const start = { mayCreate: (await mayCreateSigner) ?? true };
  return startSigner({ dataDir: config.data_dir, config, log, start, launcher });
}
