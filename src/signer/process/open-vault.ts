import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { serviceError, toServiceError } from '../../base/service-error.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';
import { makePrivate } from '../../store/make-private.ts';
import { openHsm } from '../hsm/open-hsm.ts';
import type { SignerSettings } from '../settings.ts';
import { openTombstones } from '../tombstones/tombstones.ts';
import type { Hello } from '../wire/hello.ts';
import { openAuditKey, wasUsed } from './audit-key.ts';
import { helloOf } from './hello.ts';
import { createVault, type Vault } from './vault.ts';

export type OpenedVault = {
  readonly vault: Vault;
  readonly hello: Hello;
  readonly close: () => Promise<void>;
};

/** A signer whose gateway was killed exits within this time. */
const LOCK_ATTEMPTS = 50;
const LOCK_PAUSE_MS = 100;
/** Not made private silently if others can read it: its reader refuses it. */
const REFUSED_IF_OPEN = new Set(['master.key']);

/**
 * Opens the signer's directory, which belongs to one process, and the key backend.
 *
 * @throws ServiceError `signerNotStarted` or `tokenPinRefused` for failures that an operator must fix; `keyBackendFailed` for temporary ones.
 */
export async function openVault(
  { directory, hsm: config, mayCreate, acceptsLoss }: SignerSettings,
  log: Pick<Logger, 'warn'>,
): Promise<OpenedVault> {
  if (!mayCreate && !(await wasUsed(directory))) throw missing(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  keepPrivate(directory);
  await using opened = new AsyncDisposableStack();
  const lock = await takeLock(directory);
  opened.defer(() => releaseLock(lock));
  const isFirstStart = !(await wasUsed(directory));
  const hsm = await openHsm(config, { directory, isFirstStart });
  opened.defer(() => hsm.close());
  const tombstones = await openTombstones(directory, {
    ...{ mayCreate: isFirstStart, acceptsLoss },
    onCut: (what) =>
      log.warn({ what }, 'removed an incomplete entry left by a crash; it was never acknowledged'),
  });
  opened.defer(() => tombstones.close());
  const auditKey = await openAuditKey(directory, hsm);
  const vault = createVault({ hsm, tombstones, auditKey });
  const running = opened.move();
  return {
    vault,
    hello: helloOf(hsm, config.max_managed_batch, auditKey.publicKey),
    close: () => running.disposeAsync(),
  };
}

function missing(directory: string): Error {
  const reason = [
    `${directory} has no signer's files, and the store knows the signer that made its wallets`,
    'restore the directory, whole, from its newest backup',
    'if it is lost for good, keyslot signer adopt makes a new signer: without the old master key or token it opens none of those wallets',
  ].join('; ');
  return serviceError('signerNotStarted', { reason });
}

function keepPrivate(directory: string): void {
  try {
    makePrivate(directory, REFUSED_IF_OPEN);
  } catch (error) {
    throw serviceError('signerNotStarted', { reason: toServiceError(error).message }, error);
  }
}

async function takeLock(directory: string): Promise<Lock> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await acquireLock(directory);
    } catch (error) {
      if (toServiceError(error).code !== 'dataDirectoryLocked' || attempt === LOCK_ATTEMPTS) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}
