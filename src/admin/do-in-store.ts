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
import { refuseCopy } from './copy-store.ts';
import { createServeCommand } from './serve-commands.ts';
import { answerWithoutStore, makesStore } from './without-store.ts';

/** Has a request done. @returns the result as JSON. */
export type Ask = (request: unknown) => Promise<unknown>;

/**
 * Lets `work` have requests done in the store itself, where no server runs. Listing and revoking create no store.
 *
 * @param checked the first of them.
 */
export async function doInStore<T>(
  context: CommandContext,
  checked: AdminRequest,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const { store: where, clock, log, onNote } = context;
  const showNodes = (): never => {
    throw serviceError('adminFailed', { path: where.dataDir, reason: 'no server is running there' });
  };
  if (checked.about === 'nodes' || checked.about === 'status') return showNodes();
  if (!hasStore(where) && !makesStore(checked)) {
    onNote(`${where.dataDir} has no store yet, and no server is running there`);
    return work(async () => answerWithoutStore(checked));
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
    },
    installationKey: () => loadInstallationKey({ dataDir: where.dataDir, file: context.installationKeyFile }),
    baseUrl: () => readBaseUrl(context),
    headKey: () => Promise.resolve(undefined),
    copyStore: async () => refuseCopy(),
    readStatus: async () => showNodes(),
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
  const serve = createServeCommand(deps, clock);
  return await work(async (request) => JSON.parse(JSON.stringify(await serve(request))));
}

async function readBaseUrl({ baseUrl }: CommandContext): Promise<string> {
  if (baseUrl !== undefined) return baseUrl;
  throw serviceError('invalidCommand', {
    reason:
      'no server is running, and its port is not set: start it, or set http.public_url (KEYSLOT_PUBLIC_URL)',
  });
}
