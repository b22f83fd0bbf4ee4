import { Registry } from 'prom-client';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { createLimitMetrics } from '../../src/server/access/limit-metrics.ts';
import { startRateLimits } from '../../src/serve/start-gate.ts';
import { startCutProxy } from '../lab/faults/cut-proxy.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../support/redis.ts';
import { SILENT } from '../store/backends.ts';

/** So slow that nothing comes back while a test runs. */
const PLAN = { name: 'test', requestsPerSecond: 0.01, burst: 100 };
const DATABASE = 'postgres://127.0.0.1/none';
const redis = await findRedis();

if (redis === undefined) test('limits of two servers', (context) => context.skip(REDIS_MISSING));
else describe('limits of two servers', () => onRedis(redis));

function onRedis(url: string): void {
  const started = new AsyncDisposableStack();
  afterAll(() => started.disposeAsync());

  const startServer = async (env: Readonly<Record<string, string>>) => {
    const all = { KEYSLOT_DATABASE_URL: DATABASE, KEYSLOT_REDIS_URL: url, ...env };
    const config = loadConfig({ file: undefined, env: all, cli: {} });
    const registry = new Registry();
    const limits = startRateLimits({ config, metrics: createLimitMetrics(registry), log: SILENT });
    started.defer(limits.close);
    const isShared = async (): Promise<boolean> =>
      /^keyslot_limits_shared 1$/m.test(await registry.metrics());
    const becomes = (wanted: boolean) =>
      eventually(`limits are shared: ${wanted}`, async () =>
        (await isShared()) === wanted ? true : undefined,
      );
    await becomes(true);
    return { limit: limits.of('call'), becomes };
  };
  const startProxy = async () => {
    const proxy = await startCutProxy(Number(new URL(url).port || 6379));
    started.defer(proxy.close);
    return { proxy, throughProxy: { KEYSLOT_REDIS_URL: `redis://127.0.0.1:${proxy.port}` } };
  };

  test('what one allows, the other one hears of', async () => {
    const own = { KEYSLOT_REDIS_PREFIX: uniquePrefix() };
    const [one, other] = [await startServer(own), await startServer(own)];
    expect(await one.limit.take('k', PLAN, 60)).toMatchObject({ isAllowed: true });
    await eventually('the other server knows of the 60', async () => {
      await other.limit.take('k', PLAN, 1);
      return (await other.limit.look('k', PLAN)).remaining < 40 ? true : undefined;
    });
  });

  test('an installation with another prefix has limits of its own', async () => {
    const one = await startServer({ KEYSLOT_REDIS_PREFIX: uniquePrefix() });
    const other = await startServer({ KEYSLOT_REDIS_PREFIX: uniquePrefix() });
    await one.limit.take('k', PLAN, 100);
    await one.limit.take('k', PLAN, 1);
    expect(await other.limit.take('k', PLAN, 100)).toMatchObject({ isAllowed: true });
  });

  test.each([
    ['open', { isAllowed: true }],
    ['closed', { code: 'limitsUnavailable' }],
  ])(
    'without Redis the limits are %s, and they are shared again when it is back',
    async (whenLost, outcome) => {
      const { proxy, throughProxy } = await startProxy();
      const set = { ...throughProxy, KEYSLOT_REDIS_PREFIX: uniquePrefix() };
      const { limit, becomes } = await startServer({ ...set, KEYSLOT_REDIS_LIMITS_WHEN_LOST: whenLost });
      proxy.isDown = true;
      proxy.cut();
      await becomes(false);
      expect(await limit.take('k', PLAN, 7).catch((error: unknown) => error)).toMatchObject(outcome);
      proxy.isDown = false;
      await becomes(true);
      expect(await limit.take('k', PLAN, 7)).toMatchObject({ isAllowed: true });
    },
  );

  test('a Redis that stands still under traffic is lost, and limits are shared again when it continues', async () => {
    const { proxy, throughProxy } = await startProxy();
    const set = { ...throughProxy, KEYSLOT_REDIS_PREFIX: uniquePrefix() };
    const { limit, becomes } = await startServer({ ...set, KEYSLOT_REDIS_LIMITS_WHEN_LOST: 'closed' });
    proxy.hold(true);
    let calls = 0;
    const refusal = await eventually(
      'calls are refused',
      () =>
        limit.take(`k${calls++}`, PLAN, 1).then(
          () => undefined,
          (error: unknown) => error,
        ),
      { intervalMs: 5 },
    );
    expect(refusal).toMatchObject({ code: 'limitsUnavailable' });
    proxy.hold(false);
    await becomes(true);
    expect(await limit.take('k', PLAN, 7)).toMatchObject({ isAllowed: true });
  });
}
