import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startKeyslot } from '../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { Connection } from './connection.ts';
import { readCpuUs } from './cpu.ts';
import { type Measured, median, ratiosOf, spread } from './paired.ts';
import { managedId, newAccount, request, timeOf } from './wallet-latency.ts';

// Measures managed wallets and signatures on the embedded store and on a PostgreSQL 1 ms away, compared with another checkout. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '320' },
    other: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
const WARM_UP_ROUNDS = 2;
const AWAY_MS = 1;
const ACCOUNTS = 16;
const [busy = 0] = loadavg();
const MESSAGE = Buffer.alloc(200, 7).toString('base64');

type Load = {
  readonly name: string;
  readonly connections: number;
  readonly accounts: number;
  readonly operation: 'create' | 'sign';
};

const LOADS: readonly Load[] = (['create', 'sign'] as const).flatMap((operation) => [
  { name: `${operation}, one after the other`, connections: 1, accounts: 1, operation },
  { name: `${operation}, 16 at once of one account`, connections: 16, accounts: 1, operation },
  { name: `${operation}, 16 at once of 16 accounts`, connections: 16, accounts: ACCOUNTS, operation },
]);

type Server = {
  readonly pid: number;
  readonly port: number;
  readonly requests: Readonly<Record<Load['operation'], Buffer[]>>;
};

const postgresUrl = await findPostgres();
if (postgresUrl === undefined) throw new Error(POSTGRES_MISSING);
const roots = values.other === undefined ? [undefined] : [undefined, values.other];
const sections: string[] = [];
for (const store of ['embedded', `PostgreSQL ${AWAY_MS} ms away`] as const) {
  await using started = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const root of roots) servers.push(await startServer(started, store !== 'embedded', root));
  sections.push(`| ${store} | calls/s | of the other's | CPU µs of a call | of the other's |
|---|---:|---:|---:|---:|
${await measureLoads(servers)}
`);
}
const results = `# Results of the bench of writes to the store

Written by \`test/bench/store-writes.ts\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. The load average of the machine was ${busy.toFixed(1)} before.${values.other === undefined ? '' : ` The other: ${values.other}.`}

${sections.join('\n')}
Medians of ${rounds} rounds of ${calls} calls, in brackets the smallest and the largest.
`;
console.log(results);
if (!values['dry-run']) await writeFile(new URL('store-writes-results.md', import.meta.url), results);
process.exit();

async function measureLoads(servers: readonly Server[]): Promise<string> {
  const rows: string[] = [];
  for (const load of LOADS) {
    const measured = servers.map((): Measured[] => []);
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (let turn = 0; turn < servers.length; turn += 1) {
        // Which comes first changes from round to round.
        const at = Math.abs(turn + round) % servers.length;
        const server = servers[at];
        if (server === undefined) continue;
        const each = await run(server, load);
        if (round >= 0) measured[at]?.push(each);
      }
    }
    const [own = [], other] = measured;
    const cells = (['perSecond', 'cpuUs'] as const).flatMap((figure) => [
      median(own.map((each) => each[figure])).toFixed(0),
      other === undefined ? '' : spread(ratiosOf(own, other, (each) => each[figure])),
    ]);
    rows.push(`| ${[load.name, ...cells].join(' | ')} |`);
    console.log(rows.at(-1));
  }
  return rows.join('\n');
}

async function run({ pid, port, requests }: Server, load: Load): Promise<Measured> {
  const [beganMs, beforeUs] = [performance.now(), readCpuUs(pid)];
  await Promise.all(
    Array.from({ length: load.connections }, async (_, at) => {
      const connection = new Connection(port);
      const call = requests[load.operation][at % load.accounts] ?? Buffer.alloc(0);
      for (let done = 0; done < calls / load.connections; done += 1) await timeOf(connection, call);
      connection.close();
    }),
  );
  const perSecond = (calls * 1_000) / (performance.now() - beganMs);
  return { perSecond, cpuUs: (readCpuUs(pid) - beforeUs) / calls };
}

async function startServer(
  started: AsyncDisposableStack,
  isAway: boolean,
  root: string | undefined,
): Promise<Server> {
  const env: Record<string, string> = { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '' };
  if (isAway) env.KEYSLOT_DATABASE_URL = await startDistantDatabase(started);
  const { baseUrl, dataDir, pid, stop } = await startKeyslot({ isOptimized: true, root, env });
  started.defer(stop);
  const requests: Server['requests'] = { create: [], sign: [] };
  // An older server knows the commands of its own version.
  const theirs =
    root && ((await import(`${root}/test/bench/wallet-latency.ts`)) as { newAccount: typeof newAccount });
  const makeAccount = theirs ? theirs.newAccount : newAccount;
  for (let made = 0; made < ACCOUNTS; made += 1) {
    const { token } = await makeAccount(dataDir, '100000');
    const id = await managedId({ baseUrl, token });
    requests.create.push(request(token, 'POST', '/v1/wallets', { custody: 'managed' }));
    requests.sign.push(request(token, 'POST', `/v1/wallets/${id}/sign`, { message: MESSAGE }));
  }
  return { pid, port: Number(new URL(baseUrl).port), requests };
}

/** A database of its own behind a proxy that holds everything on its way there. @returns its address. */
async function startDistantDatabase(started: AsyncDisposableStack): Promise<string> {
  const { url, drop } = await createDatabase(postgresUrl ?? '');
  started.defer(drop);
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port || 5432), noDelay: true });
    for (const socket of [client.setNoDelay(true), database])
      sockets.add(socket.on('error', () => undefined).on('close', () => socket.destroy()));
    client.on('data', (bytes) => setTimeout(() => database.write(bytes), AWAY_MS));
    client.on('close', () => database.destroy());
    database.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  started.defer(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return Object.assign(new URL(url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }).href;
}
