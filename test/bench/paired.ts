import { processesBelow } from '../support/processes.ts';
import { readCpuUs } from './cpu.ts';
import type { Load } from './loads.ts';
import { sendFlatOut } from './send-load.ts';
import type { RunningTarget } from './targets.ts';

/** The result of one target with one load in one round. */
export type Measured = {
  /** CPU time of a request, of all processes of the target, in microseconds. */
  readonly cpuUs: number;
  readonly perSecond: number;
};

/**
 * Sends a load to targets in turn, as fast as they answer, once to each in every round. Each round begins with another target.
 *
 * @returns what each target did, in the order of the targets, round by round.
 */
export async function measureInTurn(
  targets: readonly RunningTarget[],
  load: Load,
  rounds: number,
): Promise<readonly (readonly Measured[])[]> {
  const measured = targets.map((): Measured[] => []);
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < targets.length; turn++) {
      const at = (turn + round) % targets.length;
      const target = targets[at];
      if (target !== undefined) measured[at]?.push(await measure(target, load));
    }
  return measured;
}

/** The ratio of two targets in each round. */
export function ratiosOf(
  own: readonly Measured[],
  base: readonly Measured[],
  read: (measured: Measured) => number,
): readonly number[] {
  return own.flatMap((each, round) => {
    const beside = base[round];
    return beside === undefined ? [] : [read(each) / read(beside)];
  });
}

/** The median, in brackets the smallest and the largest. */
export function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(target: RunningTarget, load: Load): Promise<Measured> {
  const beforeUs = cpuOfAll(target);
  const elapsedMs = await sendFlatOut(target, load);
  return {
    cpuUs: (cpuOfAll(target) - beforeUs) / load.requests,
    perSecond: (load.requests * 1_000) / elapsedMs,
  };
}

function cpuOfAll({ pid }: RunningTarget): number {
  return processesBelow(pid).reduce((sum, each) => sum + readCpuUs(each.pid), 0);
}
