import { loadInstallationKey } from '../../account/sealing/installation-key.ts';
import { Keyring } from '../../account/identity/api-keys/keyring.ts';
import { loadPlanBook } from '../../account/plans/plans.ts';
import { TokenRing } from '../../account/identity/tokens/token-ring.ts';
import { CreateLimitBook } from '../../account/plans/wallet-create-limit.ts';
import { UseLimitBook } from '../../account/plans/wallet-use-limit.ts';
import { RecordedParams } from '../../account/requests/recorded-params.ts';
import { serviceError } from '../../core/service-error.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import { hasStore, openStore } from '../../store/open-store.ts';
import type { AdminRequest } from './admin-request.ts';
import type { CommandContext } from './command-context.ts';
import { refuseCopy } from './copy-store.ts';
import { createServeCommand } from './serve-commands.ts';
import { OWNED } from './serve-operation.ts';

/**
 * Lets `work` carry out requests directly in the store while no server runs. Listing and revoking create no store.
 *
 * @param checked the first of them.
 */
export async function doInStore<T>(
  context: CommandContext,
  checked: AdminRequest,
  work: (ask: (request: unknown) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const { store: where, clock, log, onNote } = context;
  const showNodes = (): never => {
    throw serviceError('adminFailed', { path: where.dataDir, reason: 'no server is running there' });
  };
  if ('kind' in checked && (checked.kind === 'nodes' || checked.kind === 'status')) return showNodes();
  if (!hasStore(where) && !makesStore(checked)) {
    onNote(`${where.dataDir} has no store yet, and no server is running there`);
    return work(async () => answerWithoutStore(checked));
  }
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const plans = await loadPlanBook(store);
  const deps = {
    store,
    plans,
    keyring: new Keyring(),
    flushUsage: () => Promise.resolve(),
    flushRequests: () => Promise.resolve(),
    recordedParams: new RecordedParams(),
    showNodes,
    tokens: new TokenRing(),
    limits: new CreateLimitBook(),
    useLimits: new UseLimitBook(),
    headsFile: context.headsFile,
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

/** Requests that create a missing store, as do operations that create a missing account. */
const MAKE_STORE: ReadonlySet<string> = new Set([
  'tokens.create',
  'usage',
  'audit.verify',
  'members.setup-link',
  'createAccount',
  'announceWork',
  'listPlans',
  'putPlan',
  'deletePlan',
  'setAccountPlan',
]);

function makesStore(request: AdminRequest): boolean {
  if ('operation' in request) return request.isNew === true || MAKE_STORE.has(request.operation);
  if (request.kind === 'availability') return request.account === undefined;
  return MAKE_STORE.has(request.kind);
}

/** The answers of an empty store. */
const EMPTY: Readonly<Record<string, unknown>> = {
  'keys.list': { keys: [] },
  'tokens.list': { tokens: [] },
  listAccounts: { accounts: [] },
  listAllInvoices: { invoices: [] },
  listOpenLimitRequests: { limit_requests: [] },
  listPlannedWork: { planned_work: [] },
};

/** The errors of ids that do not exist. */
const MISSING = [
  { missing: 'plannedWorkNotFound', operations: ['cancelWork'] },
  { missing: 'limitRequestNotFound', operations: ['grantLimitRequest', 'refuseLimitRequest'] },
  { missing: 'keyNotFound', operations: ['keys.rotate'] },
  ...OWNED,
] as const;

/**
 * Answers a request as an empty store would.
 *
 * @throws ServiceError of something that has to exist; `invalidCommand` for a request about the signer.
 */
function answerWithoutStore(request: AdminRequest): unknown {
  const name = 'operation' in request ? request.operation : request.kind;
  const empty = EMPTY[name];
  if (empty !== undefined) return empty;
  if (name === 'signer.rotate-master')
    throw serviceError('invalidCommand', { reason: 'there are no wallets and no master key yet' });
  if (name === 'signer.adopt')
    throw serviceError('invalidCommand', {
      reason: 'there is no store yet: the first server that starts creates it and registers its signer',
    });
  const owned = MISSING.find(({ operations }) => operations.some((each) => each === name));
  if (owned !== undefined)
    throw serviceError(owned.missing, { id: 'id' in request ? String(request.id) : '' });
  throw serviceError('accountNotFound', { name: 'account' in request ? String(request.account) : '' });
}
