import { afterEach, expect, test } from 'vitest';
import { serviceError } from '../../../src/core/service-error.ts';
import type { OpenSpan, Tracing } from '../../../src/core/tracing.ts';
import {
  type OpenTracing,
  openTracing,
  type TracingOptions,
} from '../../../src/operate/tracing/open-tracing.ts';
import { startBusyMachineClock } from '../../support/busy-machine-clock.ts';
import { packagesOf, readSources } from '../../support/source-files.ts';
import { receiveTraces } from './receive-traces.ts';

const CALLER = { trace: 'a'.repeat(32), span: 'b'.repeat(16) };
const SAMPLED = `00-${CALLER.trace}-${CALLER.span}-01`;
const NOT_SAMPLED = `00-${CALLER.trace}-${CALLER.span}-00`;
const BOUND_MS = 3_000;

const opened: AsyncDisposableStack[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.disposeAsync())));

/** Tracing with a collector, and what became of the spans. */
async function open(options: Partial<TracingOptions> = {}, answer?: Parameters<typeof receiveTraces>[0]) {
  const stack = new AsyncDisposableStack();
  opened.push(stack);
  const receiver = await receiveTraces(answer);
  stack.defer(receiver.close);
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const tracing: OpenTracing = openTracing({
    endpoint: receiver.endpoint,
    samplePerMillion: 1_000_000,
    traceparent: 'ignore',
    version: 'test',
    onOutcome: (outcome, spans) => {
      counts[outcome] += spans;
    },
    ...options,
  });
  stack.defer(tracing.close);
  return { tracing, counts, receiver };
}

const done = async (): Promise<undefined> => undefined;
const request = (tracing: Tracing, traceparent?: string, work: (span: OpenSpan) => Promise<unknown> = done) =>
  tracing.request({ name: 'json-rpc request', traceparent }, work);

test('parts of a request are below it, and a failed one says its code and nothing else', async () => {
  const { tracing, counts, receiver } = await open({ authorization: 'Bearer of-the-collector' });
  const failing = request(tracing, undefined, async (span) => {
    span.set({ 'http.response.status_code': 500 });
    await tracing.part({ name: 'node call', attributes: { 'keyslot.node': 'n' } }, done);
    await tracing.part({ name: 'signer call' }, () => Promise.reject(new Error('a secret')));
  });
  await expect(failing).rejects.toThrow('a secret');
  const refused = request(tracing, undefined, () => Promise.reject(serviceError('methodNotAllowed')));
  await expect(refused).rejects.toThrow();
  await tracing.close();
  const [call, signer, root, second] = receiver.spans();
  expect(call).toMatchObject({
    name: 'node call',
    parentSpanId: root?.spanId,
    attributes: { 'keyslot.node': 'n' },
  });
  expect(signer).toMatchObject({ parentSpanId: root?.spanId, attributes: { 'error.type': 'internalError' } });
  expect(root).toMatchObject({ statusCode: 2, attributes: { 'http.response.status_code': 500 } });
  expect(root).not.toHaveProperty('parentSpanId');
  expect(second?.attributes).toEqual({ 'error.type': 'methodNotAllowed' });
  expect(second?.traceId).not.toBe(root?.traceId);
  expect(receiver.texts.join()).not.toContain('a secret');
  expect(receiver.authorizations).toEqual(['Bearer of-the-collector']);
  expect(counts).toEqual({ exported: 4, failed: 0, dropped: 0 });
});

test('work that outlives its request is no part of it, nor is work that no request began', async () => {
  const { tracing, receiver } = await open();
  let goOn = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let after: Promise<unknown> = Promise.resolve();
  await request(tracing, undefined, async () => {
    after = late.then(() => tracing.part({ name: 'node call' }, done));
  });
  goOn();
  await after;
  await tracing.part({ name: 'store transaction' }, done);
  await tracing.close();
  expect(receiver.spans().map(({ name }) => name)).toEqual(['json-rpc request']);
});

const FROM_CALLER = { traceId: CALLER.trace, parentSpanId: CALLER.span };

test.each([
  {
    setting: 'ignore',
    header: SAMPLED,
    samplePerMillion: 1_000_000,
    expected: [{ name: 'json-rpc request' }],
  },
  { setting: 'parent', header: SAMPLED, samplePerMillion: 1_000_000, expected: [FROM_CALLER] },
  { setting: 'parent', header: NOT_SAMPLED, samplePerMillion: 1_000_000, expected: [FROM_CALLER] },
  { setting: 'parent', header: SAMPLED, samplePerMillion: 0, expected: [] },
  { setting: 'sample', header: SAMPLED, samplePerMillion: 0, expected: [FROM_CALLER] },
  { setting: 'sample', header: NOT_SAMPLED, samplePerMillion: 1_000_000, expected: [] },
] as const)('traceparent: $setting with $header at $samplePerMillion', async (given) => {
  const { setting: traceparent, header, samplePerMillion, expected } = given;
  const { tracing, receiver } = await open({ traceparent, samplePerMillion });
  await request(tracing, header, () => tracing.part({ name: 'node call' }, done));
  await tracing.close();
  const roots = receiver.spans().filter(({ name }) => name === 'json-rpc request');
  expect(roots).toMatchObject(expected);
  expect(receiver.spans()).toHaveLength(2 * expected.length);
  if (traceparent === 'ignore') expect(receiver.texts.join()).not.toContain(CALLER.trace);
});

test.each([
  ['nothing', 'my-api-key', `00-${'0'.repeat(32)}-${CALLER.span}-01`, `ff${SAMPLED.slice(2)}`, `${SAMPLED}x`],
])('a header outside the standard counts for %s', async (_, ...headers) => {
  const { tracing, receiver } = await open({ traceparent: 'sample' });
  for (const header of headers) await request(tracing, header);
  await tracing.close();
  expect(receiver.spans()).toHaveLength(headers.length);
  for (const span of receiver.spans()) expect(span).not.toHaveProperty('parentSpanId');
  expect(receiver.texts.join()).not.toMatch(new RegExp(`my-api-key|${CALLER.span}`));
});

test('about as many requests are traced as the settings say', async () => {
  const { tracing, counts } = await open({ samplePerMillion: 250_000 });
  for (let sent = 0; sent < 2_000; sent++) await request(tracing);
  await tracing.close();
  expect(counts.exported).toBeGreaterThan(400);
  expect(counts.exported).toBeLessThan(600);
});

test('a caller does not choose by its trace id what is traced', async () => {
  const { tracing, counts } = await open({ traceparent: 'parent', samplePerMillion: 250_000 });
  // The lowest id there is: a share of ids would hold it, however small.
  const header = `00-${'1'.padStart(32, '0')}-${CALLER.span}-01`;
  for (let sent = 0; sent < 2_000; sent++) await request(tracing, header);
  await tracing.close();
  expect(counts.exported).toBeLessThan(600);
});

test('a collector that hangs delays no request and no stop; spans beyond the bound are dropped and counted', async () => {
  const { tracing, counts, receiver } = await open({}, () => undefined);
  for (let sent = 0; sent < 10_000; sent++) await request(tracing);
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 10_000 - 4_096 });
  using since = startBusyMachineClock();
  await tracing.close();
  expect(since.elapsedMs()).toBeLessThan(BOUND_MS);
  expect(receiver.texts.length).toBeGreaterThan(0);
});

test('a collector that is not there, or refuses, costs its spans and no request', async () => {
  const refusing = await open({}, (_, response) => response.writeHead(400).end());
  const gone = await open();
  await gone.receiver.close();
  for (const { tracing } of [refusing, gone]) {
    await request(tracing);
    using since = startBusyMachineClock();
    await tracing.close();
    expect(since.elapsedMs()).toBeLessThan(BOUND_MS);
  }
  expect(refusing.counts).toEqual({ exported: 0, failed: 1, dropped: 0 });
  expect(gone.counts.exported).toBe(0);
});

test('nothing else has the libraries of traces: they are loaded where tracing is on', () => {
  const users = readSources('src')
    .flatMap(packagesOf)
    .filter(({ to }) => to.startsWith('@opentelemetry/'))
    .map(({ from }) => from);
  expect(users).toContain('src/operate/tracing/open-tracing.ts');
  expect(users.filter((path) => !path.startsWith('src/operate/tracing/'))).toEqual([]);
  const importers = readSources('src').filter(({ text, path }) => {
    return (
      !path.startsWith('src/operate/tracing/') &&
      /^import (?!type)[^;]*gate\/tracing\/|^import (?!type)[^;]*\.\/tracing\//m.test(text)
    );
  });
  expect(importers.map(({ path }) => path)).toEqual([]);
});
