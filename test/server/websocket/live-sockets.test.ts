import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { createSocketMetrics, LiveSockets } from '../../../src/server/websocket/live-sockets.ts';
import { standStill } from '../../support/stand-still.ts';
import { SOCKET_BOUNDS } from '../socket-bounds.ts';

/** Interval between two looks at the connections, in milliseconds. */
const WATCH_MS = 250;

test('a client is not silent while this process stands still: what it sent is not read yet', async () => {
  const sockets = new LiveSockets(SOCKET_BOUNDS, createSocketMetrics(new Registry()));
  const looks: number[] = [];
  const ignore = (): void => undefined;
  const watch = (ownMs: number): void => void looks.push(ownMs);
  const ends = { finish: ignore, leave: ignore, shed: ignore, cut: ignore };
  const socket = { keyId: 'k1', accountId: 'a1', watch, ...ends };
  sockets.add(socket);
  onTestFinished(() => {
    sockets.remove(socket, 'client');
    return sockets.drain(0);
  });
  await eventually('it is looked at', () => looks.length > 0 || undefined);
  const before = looks.length;
  standStill(8 * WATCH_MS);
  await eventually('it is looked at again', () => looks.length > before + 1 || undefined);
  const passed = looks.slice(1).map((ownMs, at) => ownMs - (looks[at] ?? 0));
  expect(Math.max(...passed)).toBeLessThanOrEqual(WATCH_MS);
  expect(Math.min(...passed)).toBeGreaterThan(0);
});
