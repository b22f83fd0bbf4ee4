import { readCpuUs } from './cpu.ts';
import type { Load } from './loads.ts';
import { sendAtRate, sendFlatOut } from './send-load.ts';
import type { RunningTarget } from './targets.ts';

/** The result of one target with one load in one round. */
export type Sample = {
  readonly load: string;
  readonly target: string;
  readonly round: number;
  /** CPU time of the proxy's process per request, in microseconds. */
  readonly cpuUs: number;
  readonly perSecond: number;
  /** Latency at constant rate, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** One load on one target: flat out, then for `rateMs` at constant rate. */
export async function measure(
  target: RunningTarget,
  load: Load,
  { round, rateMs }: { readonly round: number; readonly rateMs: number },
): Promise<Sample> {
  const beforeUs = readCpuUs(target.pid);
  const elapsedMs = await sendFlatOut(target, load);
  const cpuUs = (readCpuUs(target.pid) - beforeUs) / load.requests;
  const latencies = await sendAtRate(target, load, rateMs);
  return {
    load: load.name,
    target: target.name,
    round,
    cpuUs,
    perSecond: (load.requests * 1000) / elapsedMs,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

/** The value below which the share of the sorted values lies. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
