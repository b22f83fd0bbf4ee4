/** The metrics of one process, in Prometheus text format. */
export type ProcessMetrics = { readonly worker: string; readonly text: string };

/**
 * Joins the metrics of several processes: each sample gets the label `worker`, and each metric is described once. Nothing is added up: the
 * counters of a process that starts again begin at zero, which Prometheus sees for each series by itself.
 */
export function mergeMetrics(processes: readonly ProcessMetrics[]): string {
  const families = new Map<string, { readonly head: Map<string, string>; readonly samples: string[] }>();
  for (const { worker, text } of processes) {
    let name = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, kind = '', described = name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      name = described;
      const family = families.get(name) ?? { head: new Map<string, string>(), samples: [] };
      families.set(name, family);
      if (kind !== '') family.head.set(kind, line);
      else if (!line.startsWith('#')) family.samples.push(withWorker(line, worker));
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head.values(), ...samples].join('\n')}\n`)
    .join('\n');
}

/** Adds the label in front of the others. */
function withWorker(sample: string, worker: string): string {
  const end = sample.search(/[{ ]/);
  const label = `worker="${worker}"`;
  const [name, rest] = [sample.slice(0, end), sample.slice(end)];
  if (rest.startsWith('{}')) return `${name}{${label}}${rest.slice(2)}`;
  return rest.startsWith('{') ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}
