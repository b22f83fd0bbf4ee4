import { parseArgs } from 'node:util';
import { LOAD_CORE, PROXY_CORE, pin, readCpuUs } from './cpu.ts';
import { type Load, LOADS } from './loads.ts';
import { sendFlatOut } from './send-load.ts';
import { type RunningTarget, startGateway, startScriptedNode } from './targets.ts';

// Compares the CPU per request of this checkout with that of another one, in paired rounds before the same scripted node:
// `node test/bench/compare.ts /path/to/the/other [--rounds 11] [--loads small,batch]`.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '11' },
    loads: { type: 'string', default: 'small,batch,refused,cached' },
  },
});
const [other] = positionals;
if (other === undefined) throw new Error('expected the folder of another checkout, installed and generated');
const loads = LOADS.filter(({ name }) => values.loads.split(',').includes(name));

/** Until V8 has compiled what the loads run. */
const WARM_UP_PASSES = 3;

type Pair = { readonly otherUs: number; readonly thisUs: number };

pin(process.pid, LOAD_CORE);
const started: RunningTarget[] = [];
try {
  const node = await start(startScriptedNode());
  const nodeUrl = `http://127.0.0.1:${node.port}`;
  const targets = (await import(`${other}/test/bench/targets.ts`)) as typeof import('./targets.ts');
  const [theirs, ours] = [await start(targets.startGateway(nodeUrl)), await start(startGateway(nodeUrl))];
  for (const { pid } of [theirs, ours]) pin(pid, PROXY_CORE);
  for (let pass = 0; pass < WARM_UP_PASSES; pass++)
    for (const load of loads) for (const target of [theirs, ours]) await sendFlatOut(target, load);
  for (const load of loads) console.log(describe(load, await compare(load, theirs, ours)));
} finally {
  for (const target of started) await target.stop();
}
process.exit();

async function start(starting: Promise<RunningTarget>): Promise<RunningTarget> {
  const target = await starting;
  started.push(target);
  return target;
}

/** The one that goes first in a round goes second in the next. */
async function compare(load: Load, theirs: RunningTarget, ours: RunningTarget): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    if (round % 2 === 0) {
      const otherUs = await cpuPerRequest(theirs, load);
      pairs.push({ otherUs, thisUs: await cpuPerRequest(ours, load) });
    } else {
      const thisUs = await cpuPerRequest(ours, load);
      pairs.push({ otherUs: await cpuPerRequest(theirs, load), thisUs });
    }
  }
  return pairs;
}

async function cpuPerRequest(target: RunningTarget, load: Load): Promise<number> {
  const beforeUs = readCpuUs(target.pid);
  await sendFlatOut(target, load);
  return (readCpuUs(target.pid) - beforeUs) / load.requests;
}

function describe({ name }: Load, pairs: readonly Pair[]): string {
  const ratios = pairs.map(({ otherUs, thisUs }) => thisUs / otherUs);
  const [otherUs, thisUs] = [
    median(pairs.map((pair) => pair.otherUs)),
    median(pairs.map((pair) => pair.thisUs)),
  ];
  const range = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  return `${name}: other ${otherUs.toFixed(1)} µs, this ${thisUs.toFixed(1)} µs; this/other ${median(ratios).toFixed(3)} (${range}, ${pairs.length} pairs)`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
