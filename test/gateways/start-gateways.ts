import type { Gateway } from '../lab/gateways/gateway.ts';
import { makeScratch, type Scratch } from '../lab/gateways/installation.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findRedis, REDIS_MISSING } from '../support/redis.ts';

/** Two gateways of one installation, and how to stop them and remove what they made. */
export type Gateways = {
  readonly one: Gateway;
  readonly other: Gateway;
  readonly remove: () => Promise<void>;
};

type InstallationOptions = Pick<GatewaysOptions, 'upstreamUrl' | 'env'>;

export type GatewaysOptions = {
  /** The ledger node of both, or of the first one. */
  readonly upstreamUrl: string;
  readonly otherUpstreamUrl?: string;
  /** More settings of both. */
  readonly env?: Readonly<Record<string, string>>;
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
  const scratch = await makeInstallation(made, options);
  const start = async (name: string, at: 0 | 1, env: Readonly<Record<string, string>> = {}) => {
    const databaseUrl = new URL(scratch.databaseUrl ?? '');
    databaseUrl.port = String(databasePorts?.[at] ?? databaseUrl.port);
    const own = { KEYSLOT_DATABASE_URL: databaseUrl.href, ...env };
    const gateway = await scratch.prepare(name, { env: own });
    made.defer(gateway.stop);
    await gateway.start();
    return gateway;
  };
  const one = await start('one', 0);
  // The first one makes the tables, the second one finds them.
  const others = otherUpstreamUrl === undefined ? {} : { KEYSLOT_UPSTREAM_URL: otherUpstreamUrl };
  const other = await start('other', 1, others);
  const all = made.move();
  return { one, other, remove: () => all.disposeAsync() };
}

/** Starts one gateway of several workers. */
export async function startWorkersGateway(
  workers: number,
  options: InstallationOptions,
): Promise<{ readonly gateway: Gateway; readonly remove: () => Promise<void> }> {
  await using made = new AsyncDisposableStack();
  const scratch = await makeInstallation(made, options);
  const gateway = await scratch.prepare('workers', { defaults: { KEYSLOT_WORKERS: String(workers) } });
  made.defer(gateway.stop);
  await gateway.start();
  const all = made.move();
  return { gateway, remove: () => all.disposeAsync() };
}

function makeInstallation(
  made: AsyncDisposableStack,
  { upstreamUrl, env }: InstallationOptions,
): Promise<Scratch> {
  return makeScratch(made, {
    services: { databaseUrl: postgresUrl, redisUrl },
    env: { KEYSLOT_UPSTREAM_URL: upstreamUrl, KEYSLOT_KEY_THREADS: '1', ...env },
  });
}
