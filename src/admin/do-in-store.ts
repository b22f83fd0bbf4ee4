import { loadInstallationKey } from '../account/installation-key.ts';
import { Keyring } from '../account/keyring.ts';
import { loadPlanBook } from '../account/plans.ts';
import { TokenRing } from '../account/tokens/token-ring.ts';
import { CreateLimitBook } from '../account/wallet-create-limit.ts';
import { UseLimitBook } from '../account/wallet-use-limit.ts';
import { serviceError } from '../base/service-error.ts';
import { hasStore, openStore } from '../store/open-store.ts';
import type { AdminRequest } from './read-request.ts';
import type { CommandContext } from './command-context.ts';
import { createServeCommand } from './serve-commands.ts';
import { answerWithoutStore, makesStore } from './without-store.ts';

/** Does what a request asks in the store itself, where no server runs. Listing and revoking create no store. */
export async function doInStore(
  context: CommandContext,
  checked: AdminRequest,
  command: unknown,
): Promise<unknown> {
  const { store: where, clock, log, onNote } = context;
  const showNodes = (): never => {
    throw serviceError('adminFailed', { path: where.dataDir, reason: 'no server is running there' });
  };
  if (checked.about === 'nodes') return showNodes();
  if (!hasStore(where) && !makesStore(checked)) {
    onNote(`${where.dataDir} has no store yet, and no server is running there`);
    return answerWithoutStore(checked);
  }
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const plans = await loadPlanBook(store);
  const deps = {
    ...{ store, plans, keyring: new Keyring(), flushUsage: () => Promise.resolve(), showNodes },
    ...{
      tokens: new TokenRing(),
      limits: new CreateLimitBook(),
      useLimits: new UseLimitBook(),
      headsFile: context.headsFile,
      dataDir: where.dataDir,
      dashboardUrl: () => context.dashboardUrl,
    },
    installationKey: () => loadInstallationKey({ dataDir: where.dataDir, file: context.installationKeyFile }),
    headKey: () => Promise.resolve(undefined),
    rotateMaster: async () => {
      const { rotateWithoutServer } = await import('./rotate-without-server.ts');
      return rotateWithoutServer({
        store,
        dataDir: where.dataDir,
        hsm: context.hsm,
        launcher: context.launcher,
        log,
      });
    },
    adoptSigner: async () => {
      const { adoptWithoutServer } = await import('./adopt-without-server.ts');
      const { headsFile, hsm, launcher } = context;
      return adoptWithoutServer({ store, dataDir: where.dataDir, headsFile, hsm, clock, log, launcher });
    },
  };
  const result = await createServeCommand(deps, clock)(command);
  return JSON.parse(JSON.stringify(result));
}
