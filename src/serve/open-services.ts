import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { type AccountPlane, openAccountPlane } from '../account/setup/account-plane.ts';
import { followKeys } from '../account/identity/api-keys/follow-keys.ts';
import { followPlans } from '../account/plans/follow-plans.ts';
import { openSignerRecord } from '../account/signer-records/open-signer-record.ts';
import { refuseAdoption } from '../operate/admin/adopt-without-server.ts';
import { createMasterRotation, type MasterRotation } from '../operate/admin/master-rotation.ts';
import { createStoreCopier } from '../operate/admin/copy-store.ts';
import type { CommandDeps } from '../operate/admin/serve-commands.ts';
import { showNodes } from '../operate/admin/show-nodes.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import { headsFileOf } from '../core/config/load-config.ts';
import type { AsyncDisposableStack } from '../core/disposable-stack.ts';
import { startHeadSigning } from '../account/audit/sign-heads.ts';
import type { KeyUses } from '../server/access/key-uses.ts';
import { createLimitMetrics } from '../server/access/limit-metrics.ts';
import type { Metrics } from '../server/access/metrics.ts';
import { type Gate, startGate, type RateLimits, startRateLimits } from './start-gate.ts';
import { readReadiness, withWorkers } from './readiness.ts';
import type { Keys } from './start-keys.ts';
import type { Network } from './start-network.ts';
import type { WorkerRole } from './workers/worker-role.ts';
import type { Meter } from '../server/access/meter.ts';
import { startKeyUses, startUsage } from './start-usage.ts';
import { startRequestLog } from './start-request-log.ts';
import type { LedgerStarts } from '../account/webhooks/ledger/ledger-starts.ts';
import { withSignerSpans } from '../signer/with-signer-spans.ts';
import type { PrioritizedStore } from '../store/open-store.ts';
import type { Keyring } from '../account/identity/api-keys/keyring.ts';
import { createMemberDeps, type MemberDeps } from '../account/identity/members/member-deps.ts';
import {
  openSessionCredentials,
  type SessionCredentials,
} from '../account/identity/members/session-credentials.ts';

/** The services that depend on the store. */
export type Services = {
  readonly deps: CommandDeps;
  readonly account: AccountPlane;
  readonly members: Members;
  readonly keys: Keys;
  readonly rotation: MasterRotation;
  readonly gate: Gate;
  readonly rateLimits: RateLimits;
  readonly usage: Pick<Meter, 'totals'>;
  readonly noteUse: KeyUses['note'];
};

/** Everything that services are opened with. */
export type ServiceParts = {
  readonly config: Config;
  readonly store: PrioritizedStore;
  readonly startsKeys: Promise<Keys>;
  readonly networks: readonly Network[];
  readonly ledgers: LedgerStarts;
  /** The base URL that links begin with, once the server listens. */
  readonly baseUrl: () => Promise<string>;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly tracing: Tracing | undefined;
  /** Set where this process is one of several workers. */
  readonly worker?: Pick<WorkerRole, 'isFirst' | 'settleOthers' | 'standing'> | undefined;
};

/** Opens the services that depend on the store, and puts on the stack what closes them. */
export async function openServices(
  { config, store, startsKeys, networks, ledgers, baseUrl, metrics, log, tracing, worker }: ServiceParts,
  started: AsyncDisposableStack,
): Promise<Services> {
  const clock = systemClock;
  const { keyring, close: stopFollowingKeys } = await followKeys(store, clock);
  started.defer(stopFollowingKeys);
  const { plans, close: stopFollowingPlans } = await followPlans(store);
  started.defer(stopFollowingPlans);
  const limitMetrics = createLimitMetrics(metrics.registry);
  const { data_dir: dataDir, installation_key_file: file } = config;
  const account = await openAccountPlane({ store, clock, log, dataDir, file });
  started.defer(() => account.close());
  const members = await startMembers({ store, account, keyring, clock, log });
  started.defer(() => members.credentials.close());
  const { memberOf } = members.credentials;
  const usage = startUsage({ store, clock, log, metrics: limitMetrics, memberOf }, config.usage);
  started.defer(() => usage.close());
  const keyUses = startKeyUses({ store, clock, log }, config);
  started.defer(() => keyUses.close());
  const { recordedParams } = account;
  const logged = { store, recordedParams, memberOf, registry: metrics.registry, clock, log };
  const requests = startRequestLog(logged, config.request_log);
  started.defer(() => requests.close());
  const made = await startsKeys;
  const headsFile = headsFileOf(config);
  const record = await openSignerRecord({ store, signer: made.signer, headsFile, clock, log });
  started.defer(() => record.close());
  const keys = { ...made, signer: withSignerSpans(record.signer, tracing) };
  if (worker?.isFirst ?? true) {
    const headSigning = startHeadSigning({ store, key: keys.headKey, headsFile, clock }, log);
    started.defer(() => headSigning.close());
  }
  const rotation = createMasterRotation({
    store,
    log,
    signer: keys.signer,
    settled: async () => void (await Promise.all([keys.sealedWork.settled(), worker?.settleOthers()])),
    previousMasterKeyFile: config.hsm.soft.previous_master_key_file,
  });
  const deps = {
    store,
    keyring,
    plans,
    flushUsage: usage.flush,
    flushRequests: requests.flush,
    recordedParams,
    tokens: account.tokens,
    limits: account.limits,
    useLimits: account.useLimits,
    installationKey: () => Promise.resolve(account.installationKey),
    baseUrl,
    ledgers,
    headsFile,
    headKey: keys.headKey.publicKey,
    rotateMaster: rotation.run,
    adoptSigner: refuseAdoption,
    readStatus: async () =>
      withWorkers(await readReadiness({ networks, store, signer: made.watched }), worker).parts,
    copyStore: createStoreCopier(store, dataDir),
    showNodes: () => showNodes(networks.map(shownNetwork)),
  };
  const rateLimits = startRateLimits({ config, metrics: limitMetrics, log });
  started.defer(rateLimits.close);
  const limited = { plans, usage, keyUses, requests, limitMetrics, rateLimits };
  const gate = startGate({ config, store, keyring, memberOf, ...limited, clock, log });
  return { deps, account, members, keys, rotation, gate, usage, rateLimits, noteUse: keyUses.note };
}

function shownNetwork({ label, nodes, pace, drift }: Network) {
  return { label, statuses: nodes.statuses, consensus: nodes.consensus, pace: () => pace.standing(), drift };
}

/** The services for members and their sessions. */
type Members = { readonly members: MemberDeps; readonly credentials: SessionCredentials };

type MembersParts = {
  readonly store: PrioritizedStore;
  readonly account: Pick<AccountPlane, 'installationKey' | 'tokens' | 'ownerId'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
};

/** Opens them. `credentials` are to be closed before the store is. */
async function startMembers({ store, account, keyring, clock, log }: MembersParts): Promise<Members> {
  const { installationKey, tokens, ownerId: ownId } = account;
  return {
    members: createMemberDeps({ store: store.lowPriority, installationKey }),
    credentials: await openSessionCredentials({ store, ownId, keyring, tokens, clock, log }),
  };
}
