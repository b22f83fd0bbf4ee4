import { readFileSync } from 'node:fs';
import { residentBytes } from '../../fuzz/open-server.ts';

export type MemorySample = { readonly atMs: number; readonly bytes: number };

const INTERVAL_MS = 500;
/** The number of samples that show a slope: five minutes of them. Until then the heap takes the room that it works in. */
const ENOUGH = 600;

/**
 * How much a memory grew over the second half of its samples, in bytes: the slope of the line that fits them best (least squares), times
 * their span. A saw tooth of collections has none. Undefined where they are too few to tell.
 */
export function growthOf(all: readonly MemorySample[]): number | undefined {
  const samples = all.slice(all.length / 2);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < ENOUGH) return undefined;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const [meanMs, meanBytes] = [
    mean(samples.map(({ atMs }) => atMs)),
    mean(samples.map(({ bytes }) => bytes)),
  ];
  const covariance = mean(samples.map(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes)));
  const variance = mean(samples.map(({ atMs }) => (atMs - meanMs) ** 2));
  return (covariance / variance) * (last.atMs - first.atMs);
}

/** Watches the resident memory of processes until it is stopped. */
export function watchMemory(pids: Readonly<Record<string, number>>) {
  const samples = Object.fromEntries(Object.keys(pids).map((name) => [name, [] as MemorySample[]]));
  const look = (): void => {
    for (const [name, pid] of Object.entries(pids))
      samples[name]?.push({ atMs: performance.now(), bytes: residentBytes(pid) });
  };
  const timer = setInterval(look, INTERVAL_MS);
  return (): Readonly<Record<string, readonly MemorySample[]>> => {
    clearInterval(timer);
    return samples;
  };
}

/** True if the process exists. */
export function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    return false;
  }
}
