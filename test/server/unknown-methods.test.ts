import { expect, test } from 'vitest';
import { openSocket } from '../support/socket-client.ts';
import { post, readReply } from './start-gateway.ts';
import { callText, useDriftGateway } from './use-drift-gateway.ts';

const { closing, lines, open } = useDriftGateway();

/** A gateway whose node is never asked. */
const openAlone = () => open('http://127.0.0.1:1/', { driftSamplesPerMinute: 0 });

test('names are bounded in number and form, whatever a client calls, and are neither logged nor among what nodes answer', async () => {
  const gateway = await openAlone();
  const hostile = ['a"} 1\nforged_total 5', 'x'.repeat(65), '', 'two words', '<script>', 'ünknown', '\u0000'];
  for (const method of hostile)
    expect(
      (await readReply(await post(gateway.rpcUrl, JSON.stringify({ jsonrpc: '2.0', id: 1, method })))).error
        .code,
    ).toBe(-32601);
  const many = Array.from({ length: 300 }, (_, id) => ({ jsonrpc: '2.0', id, method: `made.up_${id}` }));
  for (const from of [0, 100, 200]) await post(gateway.rpcUrl, JSON.stringify(many.slice(from, from + 100)));
  const all = gateway.drift.unknownMethods();
  expect(all).toHaveLength(20);
  expect(all.every(({ name }) => /^[A-Za-z0-9_.]{1,64}$/.test(name))).toBe(true);
  expect(all[0]).toMatchObject({ name: 'other', count: hostile.length + 300 - 19 });
  const text = await gateway.metrics.registry.getSingleMetricAsString('keyslot_unknown_method_calls_total');
  expect(text.match(/^keyslot_unknown_method_calls_total\{/gm)).toHaveLength(20);
  expect(text).not.toMatch(/forged/);
  expect(gateway.drift.snapshot()).toEqual([]);
  expect(await gateway.metrics.registry.getSingleMetricAsString('keyslot_drift_total')).not.toMatch(
    /^keyslot/m,
  );
  expect(lines).toEqual([]);
});

test('what the specification knows is not counted, nor what expects no answer', async () => {
  const gateway = await openAlone();
  for (const method of ['slotSubscribe', 'slotUnsubscribe']) await callText(gateway, method);
  await post(gateway.rpcUrl, JSON.stringify({ jsonrpc: '2.0', method: 'ping' }));
  const client = await openSocket(gateway.wsUrl);
  closing.push(() => client.close());
  client.send({ jsonrpc: '2.0', method: 'ping' });
  expect(await client.call('getMore')).toMatchObject({ error: { code: -32601 } });
  expect(gateway.drift.unknownMethods()).toMatchObject([{ name: 'getMore', count: 1 }]);
});
