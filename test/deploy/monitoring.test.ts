import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import { createLimitMetrics } from '../../src/server/access/limit-metrics.ts';
import { useCommands } from '../cli/use-commands.ts';
import { readSources } from '../support/source-files.ts';
import { readDeployFile, readDeployYaml } from './deploy-files.ts';

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};
type Panel = {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
};

const { groups } = readDeployYaml<{ groups: readonly { rules: readonly Rule[] }[] }>('alerts.yaml');
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readDeployFile('grafana-dashboard.json')) as {
  readonly panels: readonly Panel[];
};
const expressions = [
  ...rules.map(({ alert, expr, annotations }) => ({
    name: alert,
    expr,
    text: Object.values(annotations).join(' '),
  })),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({ name: title, expr, text: legendFormat })),
  ),
];

/** The metrics and labels that Prometheus itself adds. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance', 'le'] };
const METRIC = /\b(?:keyslot|process|nodejs)_\w+|\bup\b/g;

const { serve, newNode } = useCommands('group');
const metrics = new Set(OF_PROMETHEUS.metrics);

beforeAll(async () => {
  const node = await newNode();
  const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { base_url } = JSON.parse(server.stdout()) as { readonly base_url: string };
  const text = await (await fetch(`${base_url}/metrics`)).text();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      metrics.add(`${name}${suffix}`);
  // Those of a server with a Redis.
  const shared = new Registry();
  createLimitMetrics(shared).watchShared(() => true);
  for (const { name } of await shared.getMetricsAsJSON()) metrics.add(name);
});

test('the loss of Redis is alerted for as long as it lasts', () => {
  const { expr } = rules.find(({ alert }) => alert === 'KeyslotLimitsNotShared') ?? { expr: '' };
  expect(expr).toMatch(/^keyslot_limits_shared == 0 or /);
});

test('a server is asked for its metrics: without them the tests below would hold of anything', () => {
  expect(metrics.size).toBeGreaterThan(40);
  expect(metrics).toContain('keyslot_rpc_duration_seconds_bucket');
});

test.each(expressions)('$name asks for metrics that a server has: $expr', ({ expr }) => {
  const asked = expr.match(METRIC) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !metrics.has(name))).toEqual([]);
});

test.each(expressions)('$name uses labels that metrics have: $expr', ({ expr, text }) => {
  const sources = readSources('src').flatMap(({ text: source }) =>
    source.includes("'prom-client'") || source.includes('MetricsRegistry') ? [source] : [],
  );
  const known = new Set([
    ...OF_PROMETHEUS.labels,
    ...sources.flatMap((source) => [...source.matchAll(/'([a-z_]+)'/g)].map(([, name]) => name)),
  ]);
  const matched = [...expr.matchAll(/(?<=[{,]\s*)(\w+)(?=\s*(?:=|!=|=~|!~)\s*")/g)].map(([name]) => name);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, name = '']) => name);
  expect([...matched, ...grouped, ...shown].filter((name) => !known.has(name))).toEqual([]);
});

test.each(expressions)('$name is balanced: $expr', ({ expr }) => {
  for (const [open, close] of ['()', '{}', '[]'])
    expect(expr.split(open ?? '').length, `${open}${close}`).toBe(expr.split(close ?? '').length);
});

test.each(rules)('$alert says what is wrong and what to do', ({ labels, annotations }) => {
  expect(['page', 'ticket', 'info']).toContain(labels.severity);
  expect(Object.keys(annotations)).toEqual(['summary', 'description']);
});

test('every metric of the files of older blocks is in a panel', () => {
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
  const ofFiles = [...metrics].filter((name) => name.startsWith('keyslot_topics_files_'));
  expect(ofFiles.length).toBeGreaterThan(4);
  expect(ofFiles.filter((name) => !shown.includes(name))).toEqual([]);
});

test('alerts and panels are named once, and panels do not overlap', () => {
  const names = [...rules.map(({ alert }) => alert), ...panels.map(({ title }) => title)];
  expect(new Set(names).size).toBe(names.length);
  const places = (panels as unknown as readonly { gridPos: { x: number; y: number } }[]).map(
    ({ gridPos: { x, y } }) => `${x} ${y}`,
  );
  expect(new Set(places).size).toBe(panels.length);
});
