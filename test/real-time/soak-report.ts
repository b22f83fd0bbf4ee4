/** One minute of a soak. */
export type SoakMinute = {
  /** How often the node was lost. */
  readonly losses: number;
  /** Of the gateway's process at the end of the minute. */
  readonly residentMiB: number;
  /** How much later than by a socket of the ledger itself slots were told through the gateway. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

export type SoakSetting = { readonly sockets: number; readonly machine: string };

/** The results of a soak as a page: medians of its thirds, by which it can be seen whether they are flat, and every minute. */
export function renderSoak(minutes: readonly SoakMinute[], { sockets, machine }: SoakSetting): string {
  const third = Math.ceil(minutes.length / 3);
  const thirds = ['first', 'second', 'last'].map(
    (name, at) => [name, minutes.slice(at * third, (at + 1) * third)] as const,
  );
  const rows = thirds.map(([name, part]) => [
    ...[`${name} third`, median(part.map(({ residentMiB }) => residentMiB)).toFixed(0)],
    ...[median(part.map(({ p50Ms }) => p50Ms)).toFixed(1), median(part.map(({ p99Ms }) => p99Ms)).toFixed(1)],
  ]);
  const each = minutes.map(({ losses, residentMiB, p50Ms, p99Ms }, at) => [
    ...[String(at + 1), String(losses), String(residentMiB), p50Ms.toFixed(1), p99Ms.toFixed(1)],
  ]);
  const losses = minutes.reduce((sum, minute) => sum + minute.losses, 0);
  return `# Results of the soak

Written by \`make soak\`: ${minutes.length} minutes in which the node was lost ${losses} times, half of them by killing the process in front of the ledger that its connections go through, while ${sockets} sockets and the readers of topic streams listened. Every record was compared with the ledger each minute: nothing was told twice, out of order or left out without a gap. ${machine}.

${table(['median of the', 'resident MiB', 'delay p50 ms', 'p99 ms'], rows)}

${table(['minute', 'losses', 'resident MiB', 'delay p50 ms', 'p99 ms'], each)}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
