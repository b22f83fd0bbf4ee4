import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyring } from '../../../src/account/identity/api-keys/keyring.ts';
import { TokenRing } from '../../../src/account/identity/tokens/token-ring.ts';
import { loadPlanBook } from '../../../src/account/plans/plans.ts';
import { CreateLimitBook } from '../../../src/account/plans/wallet-create-limit.ts';
import { UseLimitBook } from '../../../src/account/plans/wallet-use-limit.ts';
import { RecordedParams } from '../../../src/account/requests/recorded-params.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { type CommandDeps, createServeCommand } from '../../../src/operate/admin/serve-commands.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { NOW_MS } from '../../account/new-customer.ts';
import { newInstallationKey } from '../../account/test-installation-key.ts';
import { runAction } from '../../support/run-action.ts';

/** The parts that requests act on, new and empty except for the store; no signer runs. */
export async function newCommandDeps(store: Store): Promise<CommandDeps> {
  const key = newInstallationKey();
  return {
    store,
    plans: await loadPlanBook(store),
    keyring: new Keyring(),
    tokens: new TokenRing(),
    limits: new CreateLimitBook(),
    useLimits: new UseLimitBook(),
    flushUsage: () => Promise.resolve(),
    flushRequests: () => Promise.resolve(),
    recordedParams: new RecordedParams(),
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

/** Runs the words of a command, at an instant; its result as `--json` prints it. */
export function commandsOn(deps: CommandDeps) {
  return (words: readonly string[], nowMs = NOW_MS) =>
    runAction(words, createServeCommand(deps, { nowMs: () => nowMs }), nowMs);
}
