import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { seededRandom } from '../../wallets/kill/random.ts';
import { serveChain } from './chain-gateway.ts';
import { Session } from './session.ts';
import { sessionSteps } from './session-steps.ts';
import { rounds } from '../../support/tier.ts';

// `make soak PART=nodes FAILOVERS=1000`: kills one of three nodes after the other under users of HTTP, WebSocket and topic streams. In
// the first half of the rounds the nodes are behind one another, in the second half they are not. Exits with 1 if a read failed or was
// behind what its user has seen, something was missing unsaid, or a transaction was taken twice.

const { values } = parseArgs({ options: { failovers: { type: 'string', default: '1000' } } });
const FAILOVERS = Number(values.failovers);
const USERS = 6;
const READERS = 4;
/** Reads before and after a node is killed, and before it is started again. */
const READS_BETWEEN = 24;

const chain = await serveChain();
const { servers, gateway } = chain;
const random = seededRandom('failovers');
const faults: string[] = [];
const latencies = { 'behind one another': newLatencies(), 'side by side': newLatencies() };
let phase: keyof typeof latencies = 'behind one another';
let isFailing = false;
let isOver = false;
let [reads, users, gaps] = [0, 0, 0];

function newLatencies(): { readonly calm: number[]; readonly failing: number[] } {
  return { calm: [], failing: [] };
}

/** Reads without a pause, each read timed. */
async function readOn(name: string): Promise<void> {
  const session = new Session(gateway, name);
  while (!isOver) {
    const into = latencies[phase][isFailing ? 'failing' : 'calm'];
    const startMs = performance.now();
    await session.read({ over: 'http', method: 'getBalance', commitment: 'processed' });
    into.push(performance.now() - startMs);
    reads++;
    faults.push(...session.faults.splice(0));
  }
}

async function playOn(): Promise<void> {
  while (!isOver) {
    const [steps = []] = fc.sample(sessionSteps, { numRuns: rounds(1), seed: random(2 ** 31) });
    const session = new Session(gateway, `user-${users++}`);
    await session.play(steps);
    faults.push(...session.faults);
    gaps += session.gaps;
  }
}

async function readsPass(): Promise<void> {
  const until = reads + READS_BETWEEN;
  while (reads < until) await new Promise((resolve) => setImmediate(resolve));
}

const load = [
  ...Array.from({ length: READERS }, (_, index) => readOn(`reader-${index}`)),
  ...Array.from({ length: USERS }, playOn),
];
for (let round = 0; round < FAILOVERS; round++) {
  phase = round < FAILOVERS / 2 ? 'behind one another' : 'side by side';
  for (const [index, { node }] of servers.entries()) node.lag = phase === 'side by side' ? 0 : index;
  await readsPass();
  const server = servers[round % servers.length];
  isFailing = true;
  await server?.kill();
  await readsPass();
  await server?.start();
  isFailing = false;
}
isOver = true;
await Promise.all(load);
faults.push(...chain.takenAgain());
await chain.stop();

const p99 = (ms: readonly number[]): string =>
  (ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? 0).toFixed(1);
console.log(
  `${FAILOVERS} failovers, ${reads} reads in a row, ${users} users, ${gaps} gaps that were said, ${faults.length} faults`,
);
for (const [name, { calm, failing }] of Object.entries(latencies))
  console.log(`nodes ${name}: p99 of a read ${p99(calm)} ms, and ${p99(failing)} ms while one is lost`);
for (const fault of faults.slice(0, 10)) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
