import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../generated/config.ts';
import type { Scenario } from '../../../generated/lab.ts';
import { type CutProxy, startCutProxy } from '../faults/cut-proxy.ts';
import type { SharedServices } from '../faults/shared-service.ts';
import { ChainServer } from '../nodes/chain-server.ts';
import { GENESIS } from '../nodes/chain-node.ts';
import { EventReceiver } from '../receiver/event-receiver.ts';
import { type GatewayProcess, prepareGateway } from './gateway-process.ts';
import { labConfig, labNodes } from './lab-config.ts';
import type { Leftovers } from './leftovers.ts';
import { createScratchDatabase } from './scratch-database.ts';
import { clearRedis } from './scratch-redis.ts';
import { signerPid } from './signer-pid.ts';

/** Services that the lab may use: it makes a database of its own in the one, and keys with a prefix of its own in the other. */
export type LabServices = { readonly databaseUrl: string | undefined; readonly redisUrl: string | undefined };

/** Nodes, gateways and a receiver of webhooks that stand in for an installation. */
export type Installation = {
  readonly nodes: readonly {
    readonly name: string;
    readonly roles: readonly string[];
    readonly server: ChainServer;
  }[];
  readonly gateways: readonly GatewayProcess[];
  readonly shared: SharedServices;
  /** Receives the webhooks of all accounts. */
  readonly receiver: EventReceiver;
  /** Ends and removes everything. */
  readonly remove: () => Promise<void>;
};

export type InstallationOptions = {
  readonly config: Config;
  readonly scenario: Scenario;
  readonly services: LabServices;
  /** Told what is made, until it is removed. */
  readonly leftovers: Leftovers;
  readonly onProgress: (step: string) => void;
};

/** Starts scripted nodes, and gateways before them, in a scratch directory and a scratch database. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { config, scenario, services, leftovers, onProgress } = options;
  await using made = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-lab-'));
  made.defer(leftovers.add(() => [`directory ${directory}`]));
  made.defer(() => rm(directory, { recursive: true, force: true }));
  const nodeConfigs = labNodes(config, scenario.nodes);
  const nodes = nodeConfigs.map(({ name = '', roles }) => ({ name, roles, server: new ChainServer() }));
  const genesisHash = config.networks[0]?.genesis_hash ?? GENESIS;
  for (const { server } of nodes) {
    server.node.genesis = genesisHash;
    await server.start();
    made.defer(() => server.kill());
  }
  const receiver = new EventReceiver();
  await receiver.start();
  made.defer(() => receiver.close());
  const database =
    services.databaseUrl === undefined
      ? undefined
      : await createScratchDatabase(services.databaseUrl, 'keyslot_lab_');
  if (database !== undefined) {
    made.defer(leftovers.add(() => [`database ${database.name}`]));
    made.defer(database.drop);
  }
  const prefix = `keyslot-lab-${randomUUID()}:`;
  const { redisUrl } = services;
  const forgetKeys = async (): Promise<void> => {
    if (redisUrl !== undefined) await clearRedis(redisUrl, prefix);
  };
  if (redisUrl !== undefined) made.defer(leftovers.add(() => [`keys ${prefix}* in Redis`]));
  made.defer(forgetKeys);
  const writeKey = async (name: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    return path;
  };
  const keys = {
    masterKeyFile: await writeKey('master.key'),
    installationKeyFile: await writeKey('installation.key'),
  };
  const gateways: GatewayProcess[] = [];
  const ways = { postgres: [] as CutProxy[], redis: [] as CutProxy[] };
  const through = async (
    url: string | undefined,
    port: number,
    list: CutProxy[],
  ): Promise<string | undefined> => {
    if (url === undefined) return undefined;
    const address = new URL(url);
    const proxy = await startCutProxy({ host: address.hostname, port: Number(address.port || port) });
    made.defer(proxy.close);
    list.push(proxy);
    Object.assign(address, { hostname: '127.0.0.1', port: String(proxy.port) });
    return address.href;
  };
  for (let at = 0; at < scenario.gateways; at++) {
    const name = `gateway-${at + 1}`;
    onProgress(`starting ${name}`);
    const dataDir = join(directory, name);
    await mkdir(dataDir, { mode: 0o700 });
    const ownRedis = await through(redisUrl, 6_379, ways.redis);
    const configFile = join(directory, `${name}.json`);
    const standIns = {
      ...{ dataDir, ...keys, genesisHash },
      databaseUrl: await through(database?.url, 5_432, ways.postgres),
      redis: ownRedis === undefined ? undefined : { url: ownRedis, prefix },
      nodeUrls: nodes.map(({ server }) => server.url),
    };
    await writeFile(configFile, JSON.stringify(labConfig(config, nodeConfigs, standIns)), { mode: 0o600 });
    const [network] = config.networks;
    const rpcPath = `/${network?.name ?? 'solana'}-${network?.environment ?? 'localnet'}`;
    const gateway = await prepareGateway({
      ...{ name, configFile, dataDir, rpcPath, logFile: join(directory, `${name}.log`) },
      toStore: ways.postgres[at],
    });
    made.defer(leftovers.add(() => processesOf(gateway)));
    made.defer(gateway.close);
    await gateway.start();
    await gateway.isReady();
    gateway.disturb(false);
    gateways.push(gateway);
  }
  const all = made.move();
  const shared = {
    postgres: { proxies: ways.postgres, lose: async () => database?.breakOff() },
    // As one without persistence, which comes back empty.
    redis: { proxies: ways.redis, lose: forgetKeys },
  };
  return { nodes, gateways, shared, receiver, remove: () => all.disposeAsync() };
}

function processesOf({ name, pid }: GatewayProcess): readonly string[] {
  const gateway = pid();
  if (gateway === 0 || !isAlive(gateway)) return [];
  const signer = process.platform === 'linux' ? signerPid(gateway) : undefined;
  return [
    `process ${gateway} (${name})`,
    ...(signer === undefined ? [] : [`process ${signer} (signer of ${name})`]),
  ];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
