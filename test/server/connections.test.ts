import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  addressKey,
  Connections,
  type ConnectionsOptions,
} from '../../src/server/connections/connections.ts';
import { Connection } from '../../src/server/connections/connection.ts';
import { fitDescriptors, readDescriptorLimit } from '../../src/server/connections/fit-descriptors.ts';
import { ServiceError } from '../../src/core/service-error.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is counted as %s', (address, key) => expect(addressKey(address)).toBe(key));

/** Bounds with a clock of the test's, and connections that do nothing. */
function bounds(options: Partial<ConnectionsOptions>) {
  let nowMs = 0;
  const connections = new Connections({
    maxConnections: 1_000,
    maxPerAddress: 1_000,
    nowMs: () => nowMs,
    ...options,
  });
  onTestFinished(() => connections.close());
  const shed: string[] = [];
  const open = (name: string, remoteAddress = '192.0.2.1') => {
    const state = { isInUse: false, progress: 0 };
    const socket = Object.assign(new EventEmitter(), { remoteAddress });
    const opened = connections.open(socket as unknown as Socket, {
      isInUse: () => state.isInUse,
      progress: () => state.progress,
      shed: () => void shed.push(name),
    });
    return { state, opened, close: () => socket.emit('close') };
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { connections, open, pass, shed };
}

describe('connections', () => {
  test('are let in up to the bound, and one more in the place of the one that was idle longest', () => {
    const { open, pass, shed, connections } = bounds({ maxConnections: 3 });
    for (const name of ['a', 'b', 'c']) {
      open(name);
      pass(2_000);
    }
    expect(shed).toEqual([]);
    open('d');
    expect([shed, connections.size]).toEqual([['a'], 3]);
  });

  test('are idle since something was done for them last', () => {
    const { open, pass, shed } = bounds({ maxConnections: 2 });
    const first = open('a');
    pass(2_000);
    open('b');
    pass(2_000);
    first.state.progress = 1;
    open('c');
    expect(shed).toEqual(['b']);
  });

  test('are not ended while they are in use: then a new one is refused', () => {
    const { open, pass, shed } = bounds({ maxConnections: 1 });
    open('a').state.isInUse = true;
    pass(60_000);
    const { opened } = open('b');
    expect([shed, opened instanceof ServiceError && opened.context]).toEqual([
      [],
      { scope: 'server', limit: 1, retryAfterSeconds: 1 },
    ]);
  });

  test('that are fresh stay where nearly all others are in use', () => {
    const { open, pass, shed } = bounds({ maxConnections: 4 });
    for (const name of ['a', 'b', 'c']) open(name).state.isInUse = true;
    open('d');
    expect(open('e').opened).toBeInstanceOf(ServiceError);
    pass(1_000);
    expect(open('f').opened).toBeInstanceOf(Connection);
    expect(shed).toEqual(['d']);
  });

  test('are bounded for each address, which makes room among its own', () => {
    const { open, pass, shed } = bounds({ maxPerAddress: 2 });
    open('other', '192.0.2.2');
    pass(2_000);
    for (const name of ['a', 'b', 'c']) open(name, '192.0.2.1');
    expect(shed).toEqual(['a']);
  });

  test('leave room when they close', () => {
    const { open, shed, connections } = bounds({ maxConnections: 1 });
    const { close } = open('a');
    close();
    open('b');
    expect([shed, connections.size]).toEqual([[], 1]);
  });

  test('are found to be idle in no time, however many come', () => {
    const { open, shed } = bounds({ maxConnections: 10_000, maxPerAddress: 5_000 });
    // Processor time: other work on the machine takes none of it.
    const start = process.cpuUsage();
    for (let index = 0; index < 100_000; index++) open('x', `192.0.2.${index % 4}`);
    expect(shed).toHaveLength(90_000);
    expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
  });
});

describe('the limit of open files', () => {
  test.each([
    [25_000, 1_000_000, 25_000, false],
    [25_000, undefined, 25_000, false],
    [744, 1_000, 744, false],
    [745, 1_000, 744, true],
    [25_000, 1_024, 768, true],
    [25_000, 100, 16, true],
  ])('%i connections with %s files are %i', (wanted, descriptors, maxConnections, isLowered) => {
    const fitted = fitDescriptors(
      { maxConnections: wanted, maxPerAddress: 100_000 },
      { descriptors, reserved: 256 },
    );
    expect(fitted).toEqual({
      maxConnections,
      isLowered,
      maxPerAddress: isLowered ? maxConnections / 2 : 100_000,
    });
  });

  test('is read from the system, or from the report of the process', () => {
    const line = 'Max open files            1024                 4096                 files';
    expect(readDescriptorLimit(() => line)).toBe(1_024);
    expect(readDescriptorLimit(() => line.replace('1024', 'unlimited'))).toBeUndefined();
    const missing = (): string => {
      throw new Error('no /proc');
    };
    expect(readDescriptorLimit(missing)).toBe(readDescriptorLimit());
  });
});
