import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { processesBelow } from '../support/processes.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../support/redis.ts';
import { LOAD_CORE, PROXY_CORE, pin } from './cpu.ts';
import { LOADS } from './loads.ts';
import { type Measured, measureInTurn, median, ratiosOf, spread } from './paired.ts';
import { sendFlatOut } from './send-load.ts';
import { type RunningTarget, startBareWorkers, startGateway, startScriptedNode } from './targets.ts';

// Compares two workers with one, in paired rounds before the same scripted node. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    loads: { type: 'string', default: 'small,batch' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const loads = LOADS.filter(({ name }) => values.loads.split(',').includes(name));
/** Until V8 has compiled what the loads run, in each of two workers, which have half of the requests: with six passes batches take 20 % more. */
const WARM_UP_PASSES = 30;
/** Each worker, the generator and the scripted node need a core, and the machine one more. */
const CORES_FOR_RATE = 6;
const hasCores = availableParallelism() >= CORES_FOR_RATE;

const [postgresUrl, redisUrl] = [await findPostgres(), await findRedis()];
if (postgresUrl === undefined) throw new Error(POSTGRES_MISSING);
if (redisUrl === undefined) throw new Error(REDIS_MISSING);
const [busy = 0] = loadavg();
await using started = new AsyncDisposableStack();
const node = await startScriptedNode();
started.defer(node.stop);
const [one, two] = [await startWorkers(1), await startWorkers(2)];
const [bareOne, bareTwo] = [await startBare(1), await startBare(2)];
const targets = [one, two, bareOne, bareTwo];
if (!hasCores) pinAll();
for (let pass = 0; pass < WARM_UP_PASSES; pass++)
  for (const load of loads) for (const target of targets) await sendFlatOut(target, load);
const rows: string[] = [];
for (const load of loads) {
  const [ofOne = [], ofTwo = [], ofBareOne = [], ofBareTwo = []] = await measureInTurn(targets, load, rounds);
  rows.push(render(load.name, ofOne, ofTwo), render(`${load.name}, bare`, ofBareOne, ofBareTwo));
}
const results = `# Results of the bench of workers

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; PostgreSQL and Redis. The load average of the machine was ${busy.toFixed(1)} before.

| load | CPU of a request, two workers to one | µs, two workers | µs, one | requests a second, two workers to one |
|---|---:|---:|---:|---:|
${rows.join('\n')}

Medians of ${rounds} rounds, in brackets the smallest and the largest. CPU time is that of all processes of the server: supervisor, workers and signer. Bare workers do nothing but parse a request and print an answer: what two processes take more where they share a core, and its caches, is in theirs.
`;
console.log(results);
if (!values['dry-run']) await writeFile(new URL('workers-results.md', import.meta.url), results);
await started.disposeAsync();
process.exit();

async function startWorkers(workers: number): Promise<RunningTarget> {
  const { url, drop } = await createDatabase(postgresUrl ?? '');
  started.defer(drop);
  const target = await startGateway(`http://127.0.0.1:${node.port}`, {
    KEYSLOT_DATABASE_URL: url,
    KEYSLOT_REDIS_URL: redisUrl ?? '',
    KEYSLOT_REDIS_PREFIX: uniquePrefix(),
    KEYSLOT_WORKERS: String(workers),
  });
  started.defer(target.stop);
  return target;
}

async function startBare(workers: number): Promise<RunningTarget> {
  const target = await startBareWorkers(workers);
  started.defer(target.stop);
  return target;
}

/** Where there are too few cores, both have the same one: the CPU time of a request is compared, not the rate. */
function pinAll(): void {
  pin(process.pid, LOAD_CORE);
  for (const { pid } of targets.flatMap((target) => processesBelow(target.pid))) pin(pid, PROXY_CORE);
}

function render(name: string, one: readonly Measured[], two: readonly Measured[]): string {
  const rate = hasCores
    ? spread(ratiosOf(two, one, ({ perSecond }) => perSecond))
    : `not measured: ${cpus().length} cores, and it takes ${CORES_FOR_RATE}`;
  const us = (measured: readonly Measured[]): string => median(measured.map(({ cpuUs }) => cpuUs)).toFixed(1);
  const ratio = spread(ratiosOf(two, one, ({ cpuUs }) => cpuUs));
  return `| ${name} | ${ratio} | ${us(two)} | ${us(one)} | ${rate} |`;
}
