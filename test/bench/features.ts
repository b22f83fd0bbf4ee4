import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { processesBelow } from '../support/processes.ts';
import { findRedis, REDIS_MISSING } from '../support/redis.ts';
import { LOAD_CORE, PROXY_CORE, pin } from './cpu.ts';
import { EVERYTHING, FEATURES, PLAIN, startWith } from './feature-list.ts';
import { type Load, LOADS } from './loads.ts';
import { type Measured, measureInTurn, median, ratiosOf, spread } from './paired.ts';
import { sendFlatOut } from './send-load.ts';
import { type RunningTarget, startBareParser, startScriptedNode } from './targets.ts';

// Measures what each feature costs a small call, and what a call costs with everything on, compared with a plain gateway and bare parsing. See
// README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    features: { type: 'string', default: FEATURES.map((_, index) => index).join(',') },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const features = FEATURES.filter((_, index) => values.features.split(',').includes(String(index)));
const [SMALL, BATCH] = [loadOf('small'), loadOf('batch')];
/** Until V8 has compiled what the loads run. */
const WARM_UP_PASSES = 8;

const [postgresUrl, redisUrl] = [await findPostgres(), await findRedis()];
if (postgresUrl === undefined) throw new Error(POSTGRES_MISSING);
if (redisUrl === undefined) throw new Error(REDIS_MISSING);
const [busy = 0] = loadavg();
pin(process.pid, LOAD_CORE);
await using started = new AsyncDisposableStack();
const node = await startScriptedNode();
started.defer(node.stop);
const nodeUrl = `http://127.0.0.1:${node.port}`;
const places = { nodeUrl, postgresUrl, redisUrl };

const plain = await ready(startWith(PLAIN, places));
started.defer(plain.stop);
const rows: string[] = [];
for (const feature of features) {
  const gateway = await ready(startWith(feature, places), [SMALL]);
  const [own = [], base = []] = await measureInTurn([gateway, plain], SMALL, rounds);
  await gateway.stop();
  const row = `| ${feature.name} | ${ratio(own, base)} | ${us(own)} | ${us(base)} |`;
  console.log(row);
  rows.push(row);
}

const everything = await ready(startWith(EVERYTHING, places));
started.defer(everything.stop);
const bare = await ready(startBareParser(nodeUrl));
started.defer(bare.stop);
const rowsTogether: string[] = [];
for (const load of [SMALL, BATCH]) {
  const [all = [], none = [], least = []] = await measureInTurn([everything, plain, bare], load, rounds);
  rowsTogether.push(
    `| ${load.name} | everything | ${us(all)} | ${ratio(all, none)} | ${ratio(all, least)} |`,
    `| ${load.name} | plain | ${us(none)} | | ${ratio(none, least)} |`,
  );
}

const results = `# Results of the bench of features

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; PostgreSQL and Redis. The load average of the machine was ${busy.toFixed(1)} before.

| a small call, with | CPU, to plain | µs | µs, plain |
|---|---:|---:|---:|
${rows.join('\n')}

| load | gateway | µs | CPU, to plain | to bare parsing |
|---|---|---:|---:|---:|
${rowsTogether.join('\n')}

Medians of ${rounds} rounds, in brackets the smallest and the largest. CPU time is that of all processes of the server.
`;
console.log(results);
if (!values['dry-run']) await writeFile(new URL('features-results.md', import.meta.url), results);
await started.disposeAsync();
process.exit();

function loadOf(name: string): Load {
  const load = LOADS.find((each) => each.name === name);
  if (load === undefined) throw new Error(`no load ${name}`);
  return load;
}

/** Pins a target to the core of the targets, and lets V8 compile what it runs. */
async function ready(
  starting: Promise<RunningTarget>,
  loads: readonly Load[] = [SMALL, BATCH],
): Promise<RunningTarget> {
  const target = await starting;
  for (const { pid } of processesBelow(target.pid)) pin(pid, PROXY_CORE);
  for (let pass = 0; pass < WARM_UP_PASSES; pass++) for (const load of loads) await sendFlatOut(target, load);
  return target;
}

function us(measured: readonly Measured[]): string {
  return median(measured.map(({ cpuUs }) => cpuUs)).toFixed(1);
}

function ratio(own: readonly Measured[], base: readonly Measured[]): string {
  return spread(ratiosOf(own, base, ({ cpuUs }) => cpuUs));
}
