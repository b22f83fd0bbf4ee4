import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { SupervisedChild } from '../../../src/core/process/supervised-child.ts';
import { forkedChild } from '../../../src/core/process/forked-child.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const log = pino({ level: 'silent' });
const running: SupervisedChild<number>[] = [];

afterEach(() => Promise.all(running.splice(0).map((child) => child.stop())));

/** A child that announces a port and dies when its standard IPC channel closes, unless the script says otherwise. */
function startChild(script: string): {
  child: SupervisedChild<number>;
  events: string[];
  next: () => Promise<void>;
} {
  const modulePath = join(directory(), 'child.mjs');
  writeFileSync(modulePath, script);
  const events: string[] = [];
  let happened = Promise.withResolvers<void>();
  const take = (event: string): void => {
    events.push(event);
    happened.resolve();
    happened = Promise.withResolvers();
  };
  const onReady = (port: number): void => take(`ready ${port}`);
  const child = forkedChild({ name: 'test', modulePath, args: [], onReady, onDown: () => take('down') }, log);
  running.push(child);
  child.start();
  return { child, events, next: () => happened.promise };
}

const ANNOUNCE = `process.send({ kind: 'ready', port: 4242 }); process.on('disconnect', () => process.exit(0));`;

test('a child that dies is started again and counted', async () => {
  const { child, events, next } = startChild(ANNOUNCE);
  await next();
  expect([child.state, child.restarts]).toEqual(['ready', 0]);
  process.kill(child.pid ?? 0, 'SIGKILL');
  await next();
  expect(child.state).toBe('restarting');
  await next();
  expect([child.state, child.restarts]).toEqual(['ready', 1]);
  expect(events).toEqual(['ready 4242', 'down', 'ready 4242']);
});

test('a child that cannot start is tried again, ever more slowly', async () => {
  const startMs = performance.now();
  const { child, events, next } = startChild('process.exit(3)');
  for (let death = 0; death < 3; death++) await next();
  expect(events).toEqual(['down', 'down', 'down']);
  expect(child.restarts).toBe(2);
  expect(performance.now() - startMs).toBeGreaterThan(300);
});

test('a stopped child leaves when its channel closes and is not started again', async () => {
  const { child, events, next } = startChild(ANNOUNCE);
  await next();
  const { pid = 0 } = child;
  await child.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect([child.state, child.restarts, events]).toEqual(['stopped', 0, ['ready 4242']]);
});

test('a child that does not leave is killed', async () => {
  const { child, next } = startChild(
    `${ANNOUNCE.replace('process.exit(0)', '0')} setInterval(() => 0, 1000);`,
  );
  await next();
  const { pid = 0 } = child;
  await child.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('other messages are no announcement', async () => {
  const { events, next } = startChild(`process.send('x'); process.send({ kind: 'ready' }); ${ANNOUNCE}`);
  await next();
  expect(events).toEqual(['ready 4242']);
});

test('a child that is stopped because it died is not started again', async () => {
  const modulePath = join(directory(), 'child.mjs');
  writeFileSync(modulePath, 'process.exit(3)');
  const downs = Promise.withResolvers<Promise<void>>();
  let count = 0;
  const onDown = (): void => {
    count += 1;
    downs.resolve(child.stop());
  };
  const child = forkedChild({ name: 'test', modulePath, args: [], onReady: () => undefined, onDown }, log);
  running.push(child);
  child.start();
  await await downs.promise;
  expect([child.state, child.restarts, count]).toEqual(['stopped', 0, 1]);
});
