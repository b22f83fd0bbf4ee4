import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { LOAD_CORE, PROXY_CORE, pin } from './cpu.ts';
import { LOADS } from './loads.ts';
import { measure, type Sample } from './measure.ts';
import { renderLoads, renderTable } from './report.ts';
import { sendFlatOut } from './send-load.ts';
import {
  type RunningTarget,
  startBareParser,
  startGateway,
  startNginx,
  startNodeProxies,
  startScriptedNode,
} from './targets.ts';

// Compares the gateway with other proxies: the same loads, in turn, before the same scripted node. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    loads: { type: 'string', default: LOADS.map(({ name }) => name).join(',') },
    'rate-ms': { type: 'string', default: '1000' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const rateMs = Number(values['rate-ms']);
const loads = LOADS.filter(({ name }) => values.loads.split(',').includes(name));
const started: RunningTarget[] = [];

/** No round is begun after this; a run that is still not over at the deadline is given up. */
const LAST_START_MS = 270_000;
const DEADLINE_MS = 360_000;

/** Until V8 has compiled what the small loads run, which takes some 20,000 requests. */
const WARM_UP_PASSES = 3;

const isPinned = pin(process.pid, LOAD_CORE);
try {
  const results = renderResults(await Promise.race([run(), givenUp()]));
  console.log(results);
  if (!values['dry-run']) await writeFile(new URL('results.md', import.meta.url), results);
} finally {
  for (const target of started) await target.stop();
}
process.exit();

/** Rejects at the deadline, and on Ctrl-C, so that everything is stopped then too. */
function givenUp(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`not over within ${DEADLINE_MS} ms`)), DEADLINE_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(signal)));
  });
}

async function run(): Promise<readonly Sample[]> {
  const node = await start(startScriptedNode());
  const nodeUrl = `http://127.0.0.1:${node.port}`;
  const gateway = await start(startGateway(nodeUrl));
  const nginx = await startNginx(nodeUrl);
  if (nginx === undefined) console.log('nginx is left out: it is not installed (apt-get install nginx)');
  else started.push(nginx);
  const nodeProxies = await startNodeProxies(nodeUrl);
  started.push(...nodeProxies);
  const bare = await start(startBareParser(nodeUrl));
  const proxies = [gateway, ...(nginx === undefined ? [] : [nginx]), ...nodeProxies, bare];
  if (isPinned) for (const { pid } of proxies) pin(pid, PROXY_CORE);
  console.log(`warming up, then ${rounds} rounds`);
  for (let pass = 0; pass < WARM_UP_PASSES; pass++)
    for (const load of loads) for (const target of [node, ...proxies]) await sendFlatOut(target, load);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds && performance.now() < LAST_START_MS; round++) {
    for (const load of loads) {
      for (const target of rotate([node, ...proxies], round)) {
        samples.push(await measure(target, load, { round, rateMs }));
      }
    }
    console.log(`round ${round + 1} of ${rounds}`);
  }
  return samples;
}

async function start(starting: Promise<RunningTarget>): Promise<RunningTarget> {
  const target = await starting;
  started.push(target);
  return target;
}

/** Each round begins with another target, so that none always has the same neighbour. */
function rotate<T>(items: readonly T[], by: number): readonly T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function renderResults(samples: readonly Sample[]): string {
  const table = renderTable(samples);
  const done = new Set(samples.map(({ round }) => round)).size;
  const machine = `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}`;
  const pinning = isPinned
    ? 'each proxy on one core, generator and scripted node on another'
    : 'not pinned to cores';
  return `# Results of the bench

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${machine}; ${pinning}; median of ${done} paired rounds.

${table}
${renderLoads()}`;
}
