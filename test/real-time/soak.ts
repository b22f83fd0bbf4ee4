import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startLosses } from './losses.ts';

// `make soak`: the losses of losses.slow.test.ts for half an hour. Prints memory of the gateway and how late it tells, minute by minute;
// exits with 1 when anything was told wrong.

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, sockets: { type: 'string', default: '200' } },
});
/** The delay of slots through the gateway after those of a socket of the ledger itself, and its resident memory at the end. */
type Minute = { readonly residentMiB: number; readonly p50Ms: number; readonly p99Ms: number };
const minutes = Number(values.minutes);
const MINUTE_MS = 60_000;

const { gateway, crowd, lose, findFaults, forget, stop } = await startLosses({
  sockets: Number(values.sockets),
  slotMs: 400,
});
const done: Minute[] = [];
try {
  console.log('minute  losses  resident MiB  delay p50 ms  p99 ms');
  while (done.length < minutes) {
    const endsAtMs = performance.now() + MINUTE_MS;
    let losses = 0;
    while (performance.now() < endsAtMs) {
      await lose();
      losses += 1;
    }
    const delays = crowd.delays().toSorted((a, b) => a - b);
    const { until, faults } = await findFaults();
    if (faults.length > 0) throw new Error(`told wrong:\n${faults.slice(0, 20).join('\n')}`);
    forget(until);
    const [p50Ms, p99Ms] = [quantile(delays, 0.5), quantile(delays, 0.99)];
    done.push({ residentMiB: residentMiB(), p50Ms, p99Ms });
    const cells = [done.length, losses, residentMiB(), p50Ms.toFixed(1), p99Ms.toFixed(1)];
    console.log(cells.map((cell) => String(cell).padStart(6)).join('  '));
  }
} finally {
  await stop();
}
const third = Math.ceil(done.length / 3);
console.log('\nmedians of a third: the first, the second and the last should be alike');
for (let at = 0; at < done.length; at += third) {
  const part = done.slice(at, at + third);
  const median = (of: (minute: Minute) => number): string =>
    quantile(
      part.map(of).toSorted((a, b) => a - b),
      0.5,
    ).toFixed(1);
  console.log(
    median((each) => each.residentMiB),
    median((each) => each.p50Ms),
    median((each) => each.p99Ms),
  );
}

function residentMiB(): number {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
