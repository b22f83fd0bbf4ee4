import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { type AccountPlane, openAccountPlane } from '../account/account-plane.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from '../account/development-account.ts';
import type { DevelopmentFile } from '../account/development-file.ts';
import { followKeys } from '../account/follow-keys.ts';
import { hasAnyMember } from '../account/members/members.ts';
import { followPlans } from '../account/follow-plans.ts';
import { mayHaveNewSigner } from '../account/signers/known-signers.ts';
import { openSignerRecord } from '../account/signers/open-signer-record.ts';
import { startAdminSocket } from '../admin/admin-socket.ts';
import { refuseAdoption } from '../admin/adopt-without-server.ts';
import { isServed } from '../admin/ask-admin.ts';
import { createMasterRotation, type MasterRotation } from '../admin/master-rotation.ts';
import { type CommandDeps, createServeCommand } from '../admin/serve-commands.ts';
import { showNodes } from '../admin/show-nodes.ts';
import { adminSocketPath } from '../admin/socket-path.ts';
import { waitForLock } from '../admin/wait-for-lock.ts';
import { serviceError } from '../base/service-error.ts';
import { systemClock } from '../base/clock.ts';
import { headsFileOf } from '../config/load-config.ts';
import { startHeadSigning } from '../account/audit/sign-heads.ts';
import type { KeyUses } from '../gate/key-uses.ts';
import { createDriftMetrics } from '../gate/drift-metrics.ts';
import { createFailureLog } from '../gate/failure-log.ts';
import { createLimitMetrics } from '../gate/limit-metrics.ts';
import { createMetrics, type Metrics } from '../gate/metrics.ts';
import { planFault } from '../gate/plan-fault.ts';
import { createDriftGuard } from '../ledger/drift/drift-guard.ts';
import {
  grpcListenOptions,
  listenOptions,
  metricsListenOptions,
  openTls,
  socketListenOptions,
  urlOf,
} from './listen-options.ts';
import { assertListenable } from '../server/connections/listener.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import { startConnections } from './start-connections.ts';
import { type Gate, startGate } from './start-gate.ts';
import { type Keys, startKeys } from './start-keys.ts';
import { type Network, startNetworks } from './start-network.ts';
import { startServer } from './start-server.ts';
import { startKeyUses, startUsage } from './start-usage.ts';
import { type Members, startMembers } from './start-members.ts';
import type { ServedNetwork } from '../account-api/account-context.ts';
import { startMail } from './start-mail.ts';
import { startAccountApi } from './start-account-api.ts';
import { startWallets } from './start-wallets.ts';
import { waitForNetworks } from './wait-for-networks.ts';
import { watchNetworks } from './watch-networks.ts';
import { openStore, type Store } from '../store/open-store.ts';

/** A running server. */
export type App = {
  readonly address: {
    readonly host: string;
    readonly port: number;
    readonly baseUrl: string;
    readonly wsUrl: string;
    /** The address of the topic streams. */
    readonly grpcUrl: string;
    /** The address of `/metrics`. */
    readonly metricsUrl: string;
  };
  /** The JSON-RPC path of each network, in the order of the configuration. */
  readonly rpcPaths: readonly string[];
  /** False: an embedded ledger did not start in time; calls answer 503 until it does. */
  readonly hasLedger: boolean;
  /** The development address and key; undefined with an operator's configuration. */
  readonly development: DevelopmentFile | undefined;
  /** False: nobody can sign in to the dashboard yet. */
  readonly hasMembers: boolean;
  /** Stops listening, lets requests finish until the shutdown deadline, then stops children and the store. */
  readonly close: () => Promise<void>;
};

export type AppOptions = {
  /** True: the configuration is an operator's; there is no development account, and a leftover one is revoked. */
  readonly isOperated: boolean;
  /** Called with a few words about each step of the start. */
  readonly onProgress?: (step: string) => void;
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
};

type Services = {
  readonly deps: CommandDeps;
  readonly account: AccountPlane;
  readonly members: Members;
  readonly keys: Keys;
  readonly rotation: MasterRotation;
  readonly gate: Gate;
  readonly noteUse: KeyUses['note'];
};

/**
 * Starts everything that the configuration asks for and resolves when it serves. The store, the embedded ledger, the key pool
 * and the signer start side by side. If a part fails, the parts already started are stopped.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`, `portTaken`, `listenFailed`, `adminPathTooLong`,
 *   `signerNotStarted`, `keyGenerationNotStarted`.
 */
export async function startApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  await assertListenable(listenOptions(config));
  const others = [socketListenOptions, grpcListenOptions, metricsListenOptions];
  for (const listener of others.map((optionsOf) => optionsOf(config)))
    if (listener !== undefined) await assertListenable(listener);
  adminSocketPath(config.data_dir);
  const loadsStreams = import('./start-streams.ts');
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const progress = options.onProgress ?? (() => undefined);
  const logFailure = createFailureLog(log, systemClock);
  const driftGuard = createDriftGuard({
    samplesPerMinute: config.drift.samples_per_minute,
    ...{ metrics: createDriftMetrics(metrics.registry), log, nowMs: systemClock.nowMs },
  });
  started.defer(() => driftGuard.close());
  const networks = startNetworks(config, { metrics, logFailure, log, driftGuard });
  for (const { close, hub } of networks) {
    started.defer(close);
    started.defer(() => hub.close());
  }

  progress('opening the store');
  const opensStore = openStoreWhenFree(config, log, progress);
  const mayCreateSigner = opensStore.then(mayHaveNewSigner);
  const startsKeys = startKeys({
    ...{ config, ownsDirectory: opensStore, mayCreateSigner, metrics, log },
    launcher: options.launcher,
  });
  started.defer(() => opensStore.then((store) => store.close(), ignore));
  started.defer(() => startsKeys.then((keys) => keys.close(), ignore));
  startsKeys.catch(ignore);
  mayCreateSigner.catch(ignore);
  const store = await opensStore;
  const listens = Promise.withResolvers<string>();
  started.defer(() =>
    listens.reject(serviceError('adminFailed', { path: config.data_dir, reason: 'the server ended' })),
  );
  listens.promise.catch(ignore);
  const linkBase = () => listens.promise;
  const parts = { config, store, startsKeys, networks, baseUrl: linkBase, metrics, log };
  const services = await openServices(parts, started);
  const { deps, account, rotation } = services;
  if (options.isOperated) await revokeDevelopmentAccount(deps, config.data_dir, systemClock.nowMs());
  const admin = { dataDir: config.data_dir, serve: createServeCommand(deps, systemClock), log };
  const adminSocket = await startAdminSocket(admin);
  started.defer(() => adminSocket.close());
  started.defer(() => rotation.close());

  progress('starting the ledger');
  const hasLedger = await waitForNetworks(networks);
  const { planOf } = services.gate;
  const wallets = await startWallets({
    ...{ ...services, store, config, metrics, planOf, log },
    clock: systemClock,
  });
  started.defer(wallets.close);
  const watched = watchNetworks(networks, metrics);
  started.defer(watched.close);
  const mail = await startMail({ ...services.members, baseUrl: linkBase, config, log });
  if (mail !== undefined) started.defer(mail.close);
  const shown = { networks: networks.map(servedNetwork), watchedNetworks: watched.networks };
  const accountApi = await startAccountApi({
    deps: { ...deps, ...services.members, ...shown, mail, planFault },
    ...{ config, metrics, log, refusals: wallets.refusals },
    noteUse: services.noteUse,
    clock: systemClock,
  });
  started.defer(accountApi.settled);
  const tlsFiles = await openTls(config, log);
  started.defer(() => tlsFiles?.close());
  const connections = startConnections({ config, registry: metrics.registry, log });
  started.defer(() => connections.close());
  const listening = { config, connections, tls: tlsFiles?.options, log };
  const server = await startServer({
    ...listening,
    networks,
    rooms: services,
    rest: { wallets: wallets.handler, account: accountApi.handler },
    metrics,
  });
  started.defer(() => server.close(config.shutdown_deadline_ms));
  listens.resolve(config.http.public_url ?? server.baseUrl);

  const { startStreams } = await loadsStreams;
  const streams = await startStreams({
    ...{ ...services.gate, ...listening, networks, store, logFailure, clock: systemClock },
    ...{ tokens: account.tokens, refusals: wallets.refusals, registry: metrics.registry },
  });
  started.defer(() => streams.close(config.shutdown_deadline_ms));

  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const { baseUrl, wsUrl, metricsUrl } = server;
  const grpcUrl = urlOf({ host: config.http.host, port: streams.port }, config);
  const served = { dataDir: config.data_dir, baseUrl, wsUrl, grpcUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development = options.isOperated
    ? undefined
    : await ensureDevelopmentAccount(
        { ...deps, installationKey: account.installationKey },
        served,
        systemClock.nowMs(),
      );
  const hasMembers = development !== undefined || (await hasAnyMember(store));
  const running = started.move();
  const address = { host: server.host, port: server.port, baseUrl, wsUrl, grpcUrl, metricsUrl };
  return { address, rpcPaths, hasLedger, development, hasMembers, close: () => running.disposeAsync() };
}

type RoomParts = {
  readonly config: Config;
  readonly store: Store;
  readonly startsKeys: Promise<Keys>;
  readonly networks: readonly Network[];
  /** The base URL that links begin with, once the server listens. */
  readonly baseUrl: () => Promise<string>;
  readonly metrics: Metrics;
  readonly log: Logger;
};

/** Opens the services that depend on the store. */
async function openServices(
  { config, store, startsKeys, networks, baseUrl, metrics, log }: RoomParts,
  started: AsyncDisposableStack,
): Promise<Services> {
  const clock = systemClock;
  const { keyring, close: stopFollowingKeys } = await followKeys(store);
  started.defer(stopFollowingKeys);
  const { plans, close: stopFollowingPlans } = await followPlans(store);
  started.defer(stopFollowingPlans);
  const limitMetrics = createLimitMetrics(metrics.registry);
  const { data_dir: dataDir, installation_key_file: file } = config;
  const account = await openAccountPlane({ store, clock, log, dataDir, file });
  started.defer(() => account.close());
  const members = startMembers({ store, account, keyring, clock, log });
  started.defer(() => members.credentials.close());
  const { memberOf } = members.credentials;
  const usage = startUsage({ store, clock, log, metrics: limitMetrics, memberOf }, config.usage);
  started.defer(() => usage.close());
  const keyUses = startKeyUses({ store, clock, log }, config);
  started.defer(() => keyUses.close());
  const made = await startsKeys;
  const headsFile = headsFileOf(config);
  const record = await openSignerRecord({ store, signer: made.signer, headsFile, clock, log });
  started.defer(() => record.close());
  const keys = { ...made, signer: record.signer };
  const headSigning = startHeadSigning({ store, key: keys.headKey, headsFile, clock }, log);
  started.defer(() => headSigning.close());
  const rotation = createMasterRotation({
    ...{ store, log, signer: keys.signer, settled: keys.sealedWork.settled },
    previousMasterKeyFile: config.hsm.soft.previous_master_key_file,
  });
  const deps = {
    ...{ store, keyring, plans, flushUsage: usage.flush, tokens: account.tokens, limits: account.limits },
    useLimits: account.useLimits,
    installationKey: () => Promise.resolve(account.installationKey),
    baseUrl,
    ...{
      headsFile,
      headKey: keys.headKey.publicKey,
      rotateMaster: rotation.run,
      adoptSigner: refuseAdoption,
    },
    showNodes: () => showNodes(networks.map(shownNetwork)),
  };
  const gate = startGate({ config, keyring, plans, usage, keyUses, limitMetrics, clock, log });
  return { deps, account, members, keys, rotation, gate, noteUse: keyUses.note };
}

function servedNetwork({ rpcPath, config: { name, environment } }: Network): ServedNetwork {
  return { name, environment, rpcPath };
}

function shownNetwork({ label, nodes, pace, drift }: Network) {
  return { label, statuses: nodes.statuses, pace: () => pace.standing(), drift: drift.snapshot };
}

/**
 * A command, or a server that is stopping, holds the embedded store only for a moment, so this waits for it; a server that
 * serves keeps it.
 */
function openStoreWhenFree(config: Config, log: Logger, progress: (step: string) => void): Promise<Store> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  return waitForLock(() => openStore({ dataDir, databaseUrl }, log), {
    onWait: (reason) => progress(`${reason}; waiting for it`),
    isHopeless: () => isServed(dataDir),
  });
}

const ignore = (): void => undefined;
