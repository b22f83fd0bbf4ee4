import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { type CutProxy, startCutProxy } from '../faults/cut-proxy.ts';
import { ChainServer } from '../nodes/chain-server.ts';
import { GENESIS } from '../nodes/chain-node.ts';
import { EventReceiver } from '../receiver/event-receiver.ts';
import { type Gateway, type GatewaySettings, prepareGateway } from './gateway.ts';
import { type GatewayProcess, superviseGateway } from './lab-gateway.ts';
import { createScratchDatabase } from './scratch-database.ts';
import { signerPid } from './signer-pid.ts';

/** Services that gateways share: an installation makes a database of its own in the one, and keys with a prefix of its own in the other. */
export type Services = {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
};

export type ScratchOptions = {
  readonly services?: Services;
  /** Settings of all gateways. */
  readonly env?: Readonly<Record<string, string>>;
  /** The content of their configuration file. */
  readonly config?: object;
  /** Told what is made, until it is removed. */
  readonly leftovers?: Leftovers;
};

/** The things gateways of one installation share: a directory, a database, a prefix in Redis, keys and a configuration file. */
export type Scratch = {
  readonly directory: string;
  readonly databaseUrl: string | undefined;
  /** Lets PostgreSQL and Redis lose what they would lose with their processes. */
  readonly breakOff: () => Promise<void>;
  readonly forgetKeys: () => Promise<void>;
  /** Prepares a gateway. It is not started yet. */
  readonly prepare: (name: string, more?: Partial<GatewaySettings>) => Promise<Gateway>;
};

/** Makes what gateways of one installation share. `made` removes it again. */
export async function makeScratch(
  made: AsyncDisposableStack,
  { services = {}, env = {}, config = {}, leftovers = new Leftovers() }: ScratchOptions,
): Promise<Scratch> {
  const { databaseUrl, redisUrl } = services;
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-lab-'));
  made.defer(leftovers.add(() => [`directory ${directory}`]));
  made.defer(() => rm(directory, { recursive: true, force: true }));
  const database =
    databaseUrl === undefined ? undefined : await createScratchDatabase(databaseUrl, 'keyslot_lab_');
  if (database !== undefined) {
    made.defer(leftovers.add(() => [`database ${database.name}`]));
    made.defer(database.drop);
  }
  const prefix = `keyslot-lab-${randomUUID()}:`;
  const forgetKeys = async (): Promise<void> => {
    if (redisUrl !== undefined) await clearRedis(redisUrl, prefix);
  };
  if (redisUrl !== undefined) made.defer(leftovers.add(() => [`keys ${prefix}* in Redis`]));
  made.defer(forgetKeys);
  const write = async (name: string, content: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const newKey = (): string => `${randomBytes(32).toString('hex')}\n`;
  const shared = {
    KEYSLOT_HSM_MASTER_KEY_FILE: await write('master.key', newKey()),
    KEYSLOT_INSTALLATION_KEY_FILE: await write('installation.key', newKey()),
    ...(database !== undefined && { KEYSLOT_DATABASE_URL: database.url }),
    ...(redisUrl !== undefined && { KEYSLOT_REDIS_URL: redisUrl, KEYSLOT_REDIS_PREFIX: prefix }),
  };
  const args = ['--config', await write('keyslot.yaml', JSON.stringify(config))];
  return {
    directory,
    databaseUrl: database?.url,
    breakOff: async () => database?.breakOff(),
    forgetKeys,
    prepare: async (name, more) => {
      const dataDir = join(directory, name);
      await mkdir(dataDir, { mode: 0o700 });
      return prepareGateway({ dataDir, args, ...more, env: { ...shared, ...env, ...more?.env } });
    },
  };
}

/** A service that all gateways share. */
export type SharedService = {
  /** The way to it of each gateway, in their order; empty where they have none. */
  readonly proxies: readonly CutProxy[];
  /** Lets it lose what it would lose with its process. */
  readonly lose: () => Promise<void>;
};

/** Nodes, gateways and a receiver of webhooks that stand in for an installation. */
export type Installation = {
  readonly nodes: readonly LabNode[];
  readonly gateways: readonly GatewayProcess[];
  readonly shared: { readonly postgres: SharedService; readonly redis: SharedService };
  /** Receives the webhooks of all accounts. */
  readonly receiver: EventReceiver;
  readonly directory: string;
  /** Ends and removes everything. */
  readonly remove: () => Promise<void>;
};

export type LabNode = { readonly name: string; readonly server: ChainServer };

export type InstallationOptions = Pick<ScratchOptions, 'services' | 'env' | 'leftovers'> & {
  /** The number of nodes. More than one gateway needs a PostgreSQL. */
  readonly nodes: number;
  readonly gateways: number;
  /** The checkout whose version gateways are at first. Default: this one. */
  readonly root?: string | undefined;
  readonly onProgress?: (step: string) => void;
};

/** The grace is long enough for a stopping gateway to be seen, also on a busy machine. */
const ENV = { KEYSLOT_LOG_LEVEL: 'warn', KEYSLOT_REDIS_TOPICS: 'shared', KEYSLOT_SHUTDOWN_GRACE_MS: '3000' };

/** Starts scripted nodes, and gateways before them, in a scratch directory and a scratch database. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { services = {}, env, leftovers = new Leftovers(), root, onProgress = () => undefined } = options;
  await using made = new AsyncDisposableStack();
  const nodes = Array.from({ length: options.nodes }, (_, at) => ({
    name: `node-${at + 1}`,
    server: new ChainServer(),
  }));
  for (const { server } of nodes) {
    await server.start();
    made.defer(() => server.kill());
  }
  const receiver = new EventReceiver();
  await receiver.start();
  made.defer(() => receiver.close());
  const upstreams = nodes.map(({ name, server: { url } }) => ({ name, url }));
  const networks = [{ environment: 'localnet', genesis_hash: GENESIS, upstreams }];
  const scratch = await makeScratch(made, {
    services,
    leftovers,
    env: { ...ENV, ...env },
    config: { networks, webhooks: { allowed_targets: ['127.0.0.1'] } },
  });
  const gateways: GatewayProcess[] = [];
  const ways = { postgres: [] as CutProxy[], redis: [] as CutProxy[] };
  const through = async (name: string, url: string | undefined, list: CutProxy[]) => {
    if (url === undefined) return {};
    const address = new URL(url);
    const port = Number(address.port || (address.protocol === 'redis:' ? 6_379 : 5_432));
    const proxy = await startCutProxy({ host: address.hostname, port });
    made.defer(proxy.close);
    list.push(proxy);
    Object.assign(address, { hostname: '127.0.0.1', port: String(proxy.port) });
    return { [name]: address.href };
  };
  for (let at = 0; at < options.gateways; at++) {
    const name = `gateway-${at + 1}`;
    onProgress(`starting ${name}`);
    const own = {
      ...(await through('KEYSLOT_REDIS_URL', services.redisUrl, ways.redis)),
      ...(await through('KEYSLOT_DATABASE_URL', scratch.databaseUrl, ways.postgres)),
    };
    const prepared = await scratch.prepare(name, { root, env: own, isOptimized: true });
    const gateway = await superviseGateway(name, prepared, ways.postgres[at]);
    made.defer(leftovers.add(() => processesOf(gateway)));
    made.defer(gateway.close);
    await gateway.start();
    await gateway.isReady();
    gateway.disturb(false);
    gateways.push(gateway);
  }
  const all = made.move();
  const shared = {
    postgres: { proxies: ways.postgres, lose: scratch.breakOff },
    // As one without persistence, which comes back empty.
    redis: { proxies: ways.redis, lose: scratch.forgetKeys },
  };
  const { directory } = scratch;
  return { nodes, gateways, shared, receiver, directory, remove: () => all.disposeAsync() };
}

function processesOf({ name, pid, ended }: GatewayProcess): readonly string[] {
  const gateway = pid();
  if (gateway === 0 || ended() !== undefined) return [];
  const signer = signerPid(gateway);
  return [
    `process ${gateway} (${name})`,
    ...(signer === undefined ? [] : [`process ${signer} (signer of ${name})`]),
  ];
}

const CONNECT_MS = 5_000;

/** Deletes every key that begins with a prefix. @throws Error of the client. */
export async function clearRedis(url: string, prefix: string): Promise<void> {
  const client = createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } });
  let failure: unknown;
  client.on('error', (error) => {
    failure = error;
  });
  await client.connect();
  try {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*` }))
      if (keys.length > 0) await client.del(keys);
  } finally {
    client.destroy();
  }
  if (failure !== undefined) throw failure;
}

/** Records what a run creates outside of its own process until it is removed, so that a run that ends at once can list it. */
export class Leftovers {
  readonly #parts = new Set<() => readonly string[]>();

  /** Adds a part. @param describe returns it in words; nothing while it is not there. @returns a function that takes it out again. */
  add(describe: () => readonly string[]): () => void {
    this.#parts.add(describe);
    return () => void this.#parts.delete(describe);
  }

  list(): readonly string[] {
    return [...this.#parts].flatMap((describe) => describe());
  }
}
