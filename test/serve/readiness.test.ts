import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ReadinessPart } from '../../src/server/http/status-routes.ts';
import { readReadiness } from '../../src/serve/readiness.ts';
import { partsOf } from './readiness-parts.ts';

afterEach(() => void vi.useRealTimers());

const without = (...parts: readonly ReadinessPart[]) => new Set(parts);

const LOST = [
  ['store', partsOf({ store: 'lost' })],
  ['signer', partsOf({ signer: 'lost' })],
  ['networks', partsOf({ networks: ['ready', 'lost'] })],
] as const;

describe.each(LOST)('with a lost part: %s', (lost, parts) => {
  test('the server is not ready', async () => {
    expect(await readReadiness(parts)).toMatchObject({ isReady: false });
  });

  test('it is ready, and degraded, if that part is excluded', async () => {
    expect(await readReadiness(parts, without(lost))).toMatchObject({ isReady: true, isDegraded: true });
  });

  test('it is not ready if only the others are excluded', async () => {
    const others = LOST.map(([part]) => part).filter((part) => part !== lost);
    expect(await readReadiness(parts, without(...others))).toMatchObject({ isReady: false });
  });

  test('the excluded part is shown as it is', async () => {
    const { parts: shown } = await readReadiness(parts, without(lost));
    expect(shown).toEqual((await readReadiness(parts)).parts);
  });
});

test('a server whose parts are ready is not degraded, whatever is excluded', async () => {
  const ready = { isReady: true, isDegraded: false };
  expect(await readReadiness(partsOf({}))).toMatchObject(ready);
  expect(await readReadiness(partsOf({}), without('store', 'signer', 'networks'))).toMatchObject(ready);
});

test('each network shows its consensus, and the slot since which it runs Alpenglow', async () => {
  const tower = { consensus: 'tower', alpenglow_from: null };
  const alpenglow = { consensus: 'alpenglow', alpenglow_from: 459_652_999 };
  const { networks, ...rest } = partsOf({ networks: ['ready', 'ready'] });
  const consensus = () => ({ kind: 'alpenglow', slot: 459_652_999 }) as const;
  const switched = networks.map((each, at) =>
    at === 0 ? each : { ...each, nodes: { ...each.nodes, consensus } },
  );
  const { parts } = await readReadiness({ ...rest, networks: switched });
  expect(parts.networks).toMatchObject([tower, alpenglow]);
});

test('an excluded part that gives no answer is waited for a second', async () => {
  vi.useFakeTimers();
  const silent = partsOf({ store: 'silent', networks: ['ready', 'silent'] });
  const onAnswer = vi.fn();
  void readReadiness(silent, without('store', 'networks')).then(onAnswer);
  await vi.advanceTimersByTimeAsync(999);
  expect(onAnswer).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onAnswer.mock.calls[0]?.[0]).toMatchObject({
    isReady: true,
    isDegraded: true,
    parts: {
      store: { kind: 'postgres', state: 'storeUnavailable', reason: 'unreachable' },
      networks: [{ upstream: 'ready' }, { upstream: 'upstreamTimeout' }],
    },
  });
});

test('a part that counts is waited for longer', async () => {
  vi.useFakeTimers();
  const onAnswer = vi.fn();
  void readReadiness(partsOf({ store: 'silent' }), without('networks')).then(onAnswer);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onAnswer).not.toHaveBeenCalled();
});
