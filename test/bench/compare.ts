import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { checkOut } from '../support/check-out.ts';
import { processesBelow } from '../support/processes.ts';
import { LOAD_CORE, PROXY_CORE, pin } from './cpu.ts';
import { type Load, LOADS } from './loads.ts';
import { measureInTurn, median, ratiosOf, spread } from './paired.ts';
import { sendFlatOut } from './send-load.ts';
import {
  type RunningTarget,
  startBareParser,
  startGateway,
  startNginx,
  startScriptedNode,
} from './targets.ts';

// `make bench AGAINST=REVISION`: compares the CPU time of a request with that of another revision, in turn. See README.md.

const { values } = parseArgs({
  options: {
    revision: { type: 'string', default: 'HEAD' },
    loads: { type: 'string', default: 'small,batch' },
    rounds: { type: 'string', default: '7' },
    /** The run fails when a load needs more than this times what it needed, in three of three attempts. */
    limit: { type: 'string', default: 'Infinity' },
  },
});
const [rounds, limit] = [Number(values.rounds), Number(values.limit)];
const ATTEMPTS = 3;
/** Until V8 has compiled what the loads run. */
const WARM_UP_PASSES = 8;

const loads = LOADS.filter(({ name }) => values.loads.split(',').includes(name));
const other = await checkOut(values.revision, console.log);
pin(process.pid, LOAD_CORE);
console.log(
  `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}, load average ${(loadavg()[0] ?? 0).toFixed(1)}; ` +
    `against ${other.commit.slice(0, 8)} (${other.subject}); ${rounds} rounds`,
);
let remaining: readonly Load[] = loads;
for (let attempt = 1; attempt <= ATTEMPTS && remaining.length > 0; attempt += 1)
  remaining = await findSlower(remaining);
for (const { name } of remaining)
  console.error(
    `${name}: more than ${limit} times the CPU of ${other.commit.slice(0, 8)}, ${ATTEMPTS} times`,
  );
process.exit(remaining.length === 0 ? 0 : 1);

/** Starts both gateways and prints a row for each load. @returns the loads beyond the limit. */
async function findSlower(candidates: readonly Load[]): Promise<readonly Load[]> {
  await using started = new AsyncDisposableStack();
  const start = async (starting: Promise<RunningTarget>): Promise<RunningTarget> => {
    const target = await starting;
    started.defer(target.stop);
    return target;
  };
  const node = await start(startScriptedNode());
  const nodeUrl = `http://127.0.0.1:${node.port}`;
  const here = await start(startGateway(nodeUrl));
  const there = await start(startOther(nodeUrl));
  const bare = await start(startBareParser(nodeUrl));
  const nginx = await startNginx(nodeUrl);
  if (nginx !== undefined) started.defer(nginx.stop);
  const targets = [here, there, bare, ...(nginx === undefined ? [] : [nginx])];
  for (const target of targets) {
    for (const { pid } of processesBelow(target.pid)) pin(pid, PROXY_CORE);
    for (let pass = 0; pass < WARM_UP_PASSES; pass += 1)
      for (const load of candidates) await sendFlatOut(target, load);
  }
  console.log('\n| load | µs | of the other | of bare parsing | of nginx |\n|---|---:|---:|---:|---:|');
  const slower: Load[] = [];
  for (const load of candidates) {
    const [own = [], ...bases] = await measureInTurn(targets, load, rounds);
    const ratios = bases.map((base) => ratiosOf(own, base, ({ cpuUs }) => cpuUs));
    const cells = [median(own.map(({ cpuUs }) => cpuUs)).toFixed(1), ...ratios.map(spread)];
    console.log(`| ${[load.name, ...cells].join(' | ')} |`);
    if (median(ratios[0] ?? []) > limit) slower.push(load);
  }
  return slower;
}

/** The gateway of the other revision, as its own bench starts it. */
async function startOther(nodeUrl: string): Promise<RunningTarget> {
  const targets = (await import(`${other.root}/test/bench/targets.ts`)) as {
    startGateway: typeof startGateway;
  };
  return targets.startGateway(nodeUrl);
}
