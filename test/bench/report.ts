import { LOADS } from './loads.ts';
import type { Sample } from './measure.ts';
import { GATEWAY, NGINX } from './targets.ts';

type Column = (sample: Sample, others: PairedRound) => number;
type PairedRound = { readonly direct: Sample; readonly gateway: Sample; readonly nginx: Sample | undefined };

const HEAD =
  '| load | proxy | CPU µs/request | of nginx | Keyslot needs | requests/s | added p50 ms | added p99 ms |\n|---|---|---:|---:|---:|---:|---:|---:|';

/** The table of a run: medians over its rounds, ratios and differences taken within each round first. */
export function renderTable(samples: readonly Sample[]): string {
  const targets = [...new Set(samples.map(({ target }) => target))].filter((target) => target !== 'direct');
  const rows = LOADS.flatMap(({ name }) =>
    targets.flatMap((target) => renderRow(name, target, samples) ?? []),
  );
  return `${[HEAD, ...rows].join('\n')}\n`;
}

/** A list that describes each load. */
export function renderLoads(): string {
  return `${LOADS.map(({ name, what, perSecond }) => `- **${name}**: ${what}; ${perSecond}/s for the latency.`).join('\n')}\n`;
}

function renderRow(load: string, target: string, samples: readonly Sample[]): string | undefined {
  const own = samples.filter((sample) => sample.load === load && sample.target === target);
  if (own.length === 0) return undefined;
  const middle = (column: Column): number =>
    median(own.map((sample) => column(sample, pairOf(sample, samples))));
  const cells = [
    middle(({ cpuUs }) => cpuUs).toFixed(1),
    ratio(middle(({ cpuUs }, { nginx }) => cpuUs / (nginx?.cpuUs ?? Number.NaN))),
    ratio(middle(({ cpuUs }, { gateway }) => gateway.cpuUs / cpuUs)),
    middle(({ perSecond }) => perSecond).toFixed(0),
    middle(({ p50Ms }, { direct }) => p50Ms - direct.p50Ms).toFixed(2),
    middle(({ p99Ms }, { direct }) => p99Ms - direct.p99Ms).toFixed(2),
  ];
  return `| ${[load, target, ...cells].join(' | ')} |`;
}

function pairOf({ load, round }: Sample, samples: readonly Sample[]): PairedRound {
  const paired = samples.filter((sample) => sample.load === load && sample.round === round);
  const direct = paired.find(({ target }) => target === 'direct');
  const gateway = paired.find(({ target }) => target === GATEWAY);
  if (direct === undefined || gateway === undefined) throw new Error(`round ${round} of ${load} has no pair`);
  return { direct, gateway, nginx: paired.find(({ target }) => target === NGINX) };
}

function ratio(value: number): string {
  return Number.isNaN(value) ? '–' : `${value.toFixed(2)}×`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
