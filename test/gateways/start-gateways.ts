import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../src/base/eventually.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../support/redis.ts';

const START_DEADLINE_MS = 120_000;

/** One `keyslot serve` of several. It keeps its ports when it starts again. */
export type Gateway = {
  readonly baseUrl: string;
  /** The JSON-RPC address, without a key. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly grpcUrl: string;
  readonly dataDir: string;
  /** Asks it to stop (SIGTERM) and resolves when it has ended. */
  readonly stop: () => Promise<void>;
  /** @param root the checkout whose version it is from now on. Default: as before, at first this one. */
  readonly start: (root?: string) => Promise<void>;
  /** Its settings, for commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The process that was started last. */
  readonly pid: () => number;
  /** How it ended, as text; undefined while it runs. */
  readonly ended: () => string | undefined;
};

/** Two gateways of one installation, and how to stop them and remove what they made. */
export type Gateways = {
  readonly one: Gateway;
  readonly other: Gateway;
  readonly remove: () => Promise<void>;
};

type InstallationOptions = Pick<GatewaysOptions, 'upstreamUrl' | 'env' | 'root'>;

export type GatewaysOptions = {
  /** The ledger node of both, or of the first one. */
  readonly upstreamUrl: string;
  readonly otherUpstreamUrl?: string;
  /** More settings of both. */
  readonly env?: Readonly<Record<string, string>>;
  /** The checkout whose version both are at first. Default: this one. */
  readonly root?: string;
  /** The port at which each reaches the database, if not that of the database. */
  readonly databasePorts?: readonly [one: number, other: number] | undefined;
};

const [postgresUrl, redisUrl] = [await findPostgres(), await findRedis()];

/** Why suites with two gateways do not run; undefined: they do. */
export const GATEWAYS_MISSING =
  postgresUrl === undefined ? POSTGRES_MISSING : redisUrl === undefined ? REDIS_MISSING : undefined;

/** The port of the database of tests. */
export const databasePort = (): number => Number(new URL(postgresUrl ?? '').port || 5432);

/** The port of the Redis of tests. */
export const redisPort = (): number => Number(new URL(redisUrl ?? '').port || 6379);

/** Starts two gateways with one database, one prefix in Redis, one master key and one installation key. */
export async function startGateways({
  databasePorts,
  otherUpstreamUrl,
  ...options
}: GatewaysOptions): Promise<Gateways> {
  await using made = new AsyncDisposableStack();
  const installation = await prepareInstallation(made, options);
  const one = await installation.start('one', { databasePort: databasePorts?.[0] });
  // The first one makes the tables, the second one finds them.
  const other = await installation.start('other', {
    databasePort: databasePorts?.[1],
    upstreamUrl: otherUpstreamUrl,
  });
  const all = made.move();
  return { one, other, remove: () => all.disposeAsync() };
}

/** Starts one gateway of several workers. */
export async function startWorkersGateway(
  workers: number,
  { env, ...options }: InstallationOptions,
): Promise<{ readonly gateway: Gateway; readonly remove: () => Promise<void> }> {
  await using made = new AsyncDisposableStack();
  const installation = await prepareInstallation(made, {
    ...options,
    env: { KEYSLOT_WORKERS: String(workers), ...env },
  });
  const gateway = await installation.start('workers');
  const all = made.move();
  return { gateway, remove: () => all.disposeAsync() };
}

async function prepareInstallation(
  made: AsyncDisposableStack,
  { upstreamUrl, env: more = {}, root }: InstallationOptions,
) {
  const database = await createDatabase(postgresUrl ?? '');
  made.defer(database.drop);
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-gateways-'));
  made.defer(() => rm(directory, { recursive: true, force: true }));
  const write = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const env = {
    KEYSLOT_REDIS_URL: redisUrl ?? '',
    KEYSLOT_REDIS_PREFIX: uniquePrefix(),
    KEYSLOT_HSM_MASTER_KEY_FILE: write('master.key', randomBytes(32).toString('hex')),
    KEYSLOT_INSTALLATION_KEY_FILE: write('installation.key', randomBytes(32).toString('hex')),
    KEYSLOT_UPSTREAM_URL: upstreamUrl,
    KEYSLOT_KEY_THREADS: '1',
    ...more,
  };
  const args = ['--config', write('keyslot.yaml', '{}\n')];
  return {
    start: async (
      name: string,
      own: { readonly databasePort?: number | undefined; readonly upstreamUrl?: string | undefined } = {},
    ): Promise<Gateway> => {
      const databaseUrl = new URL(database.url);
      databaseUrl.port = String(own.databasePort ?? databaseUrl.port);
      const gateway = await prepare(args, {
        ...env,
        KEYSLOT_DATA_DIR: join(directory, name),
        KEYSLOT_DATABASE_URL: databaseUrl.href,
        KEYSLOT_UPSTREAM_URL: own.upstreamUrl ?? upstreamUrl,
      });
      made.defer(gateway.stop);
      await gateway.start(root);
      return gateway;
    },
  };
}

async function prepare(
  args: readonly string[],
  env: Readonly<Record<string, string>> & { readonly KEYSLOT_DATA_DIR: string },
): Promise<Gateway> {
  // WebSocket clients find the port after that of HTTP.
  const [port, grpcPort] = [await freePortPair(), await freePortPair()];
  const ports = { KEYSLOT_HTTP_PORT: String(port), KEYSLOT_GRPC_PORT: String(grpcPort) };
  let running: NodeProcess | undefined;
  let earlier = '';
  let version: string | undefined;
  const address = `127.0.0.1:${port}`;
  const stderr = (): string => earlier + (running?.stderr() ?? '');
  return {
    baseUrl: `http://${address}`,
    rpcUrl: `http://${address}/solana-localnet`,
    wsUrl: `ws://${address}/solana-localnet`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    dataDir: env.KEYSLOT_DATA_DIR,
    stderr,
    stdout: () => running?.stdout() ?? '',
    pid: () => running?.pid ?? 0,
    ended: () => running?.ended(),
    stop: async () => running?.stop(),
    env: { ...env, ...ports },
    start: async (root = version) => {
      earlier = stderr();
      version = root;
      const started = startNode(['src/main.ts', 'serve', '--json', ...args], { ...env, ...ports }, { root });
      running = started;
      const isServing = (): true | undefined => {
        if (started.ended() !== undefined) throw new Error(`ended with ${started.ended()}: ${stderr()}`);
        return started.stdout().includes('\n') || undefined;
      };
      await eventually('the gateway serves', isServing, { timeoutMs: START_DEADLINE_MS });
    },
  };
}
