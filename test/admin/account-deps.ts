import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenRing } from '../../src/account/tokens/token-ring.ts';
import { CreateLimitBook } from '../../src/account/wallet-create-limit.ts';
import { UseLimitBook } from '../../src/account/wallet-use-limit.ts';
import type { CommandDeps } from '../../src/admin/serve-commands.ts';
import type { AccountDeps } from '../../src/admin/serve-account.ts';
import { serviceError } from '../../src/base/service-error.ts';
import { newInstallationKey } from '../account/test-installation-key.ts';

/** The parts that requests act on beside the store, keys, plans and usage, new and empty; no signer runs. */
export function newAccountDeps(): Omit<AccountDeps, 'store' | 'plans'> &
  Pick<CommandDeps, 'rotateMaster' | 'adoptSigner' | 'copyStore' | 'readStatus' | 'showNodes' | 'baseUrl'> {
  const key = newInstallationKey();
  return {
    tokens: new TokenRing(),
    limits: new CreateLimitBook(),
    useLimits: new UseLimitBook(),
    installationKey: () => key,
    headsFile: join(tmpdir(), 'keyslot-no-heads', 'heads.jsonl'),
    headKey: () => Promise.resolve(undefined),
    baseUrl: () => Promise.resolve('https://keyslot.example'),
    copyStore: () => Promise.resolve({ copied: true }),
    readStatus: () => Promise.resolve({}),
    showNodes: () => ({ networks: [] }),
    adoptSigner: () => Promise.reject(serviceError('signerUnavailable')),
    rotateMaster: () => Promise.reject(serviceError('signerUnavailable')),
  };
}
