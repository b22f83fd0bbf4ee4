import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { toServiceError } from '../../service-error.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';
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

/** A signer whose gateway was killed leaves within this time. */
const LOCK_ATTEMPTS = 50;
const LOCK_PAUSE_MS = 100;

/**
 * Opens the signer's directory, which is for one process, and the key backend.
 *
 * @throws ServiceError `signerNotStarted` for what an operator must mend; `keyBackendFailed` for what may pass.
 */
export async function openVault({ directory, hsm: config }: SignerSettings): Promise<OpenedVault> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await using opened = new AsyncDisposableStack();
  const lock = await takeLock(directory);
  opened.defer(() => releaseLock(lock));
  const isFirstStart = !(await wasUsed(directory));
  const hsm = await openHsm(config, { directory, isFirstStart });
  opened.defer(() => hsm.close());
  const tombstones = await openTombstones(directory, { isFirstStart });
  opened.defer(() => tombstones.close());
  const auditKey = await openAuditKey(directory, hsm);
  const vault = createVault({ hsm, tombstones, auditKey });
  const running = opened.move();
  return {
    vault,
    hello: helloOf(hsm, config.max_managed_batch),
    close: () => running.disposeAsync(),
  };
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
