import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { Config } from '../../../generated/config.ts';
import { ProcessCalls, type ServedCalls } from '../../../src/core/process/process-calls.ts';
import { SupervisedWorker } from '../../../src/serve/workers/start-workers.ts';

afterEach(() => void vi.useRealTimers());

const CONFIG = { data_dir: 'the-one-of-the-start' } as Config;
const SERVED = { address: 'here' };

/** One process that `cluster.fork` makes. */
function fakeProcess(serve: ServedCalls) {
  const [near, far] = [new EventEmitter(), new EventEmitter()];
  const send = (to: EventEmitter) => (message: unknown) => queueMicrotask(() => to.emit('message', message));
  const kill = vi.fn((signalCode: string) => {
    Object.assign(near, { signalCode });
    near.emit('exit', null, signalCode);
  });
  Object.assign(near, {
    pid: 4242,
    connected: true,
    send: send(far),
    exitCode: null,
    signalCode: null,
    kill,
  });
  Object.assign(far, { connected: true, send: send(near) });
  return { near, kill, calls: new ProcessCalls(far, serve) };
}

/** The return value of `cluster.fork` when there are no file descriptors. */
const unmade = () => new EventEmitter();

/** A worker whose processes are these, one after the other. */
function supervise(...processes: readonly EventEmitter[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const left = [...processes];
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const [process = unmade()] = left.splice(0, 1);
    const worker = Object.assign(new EventEmitter(), { process });
    process.on('error', (error) => worker.emit('error', error));
    return worker as unknown as Worker;
  });
  const lines: string[] = [];
  const worker = new SupervisedWorker({
    number: 2,
    config: CONFIG,
    stopDeadlineMs: 1_000,
    addToSigner: () => undefined,
    onChange: () => undefined,
    readAllMetrics: async () => '',
    settleOthers: async () => undefined,
    log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
  });
  worker.child.start();
  return { worker, logged: () => lines.join('') };
}

test('a worker that cannot be made for want of file descriptors is tried again', async () => {
  const first = unmade();
  const second = fakeProcess({});
  const { worker, logged } = supervise(first, second.near);
  first.emit('error', new Error('spawn EMFILE'));
  expect(worker.child.state).toBe('restarting');
  expect(logged()).toContain('spawn EMFILE');
  vi.advanceTimersByTime(100);
  await second.calls.call('serving', SERVED, 1_000);
  expect(worker.child.state).toBe('ready');
});

test('a worker that is started again gets the configuration of the start', async () => {
  const [first, second] = [fakeProcess({}), fakeProcess({})];
  supervise(first.near, second.near);
  const start = { number: 2, config: CONFIG };
  expect(await first.calls.call('join', null, 1_000)).toEqual({ ...start, isRestart: false });
  first.kill('SIGKILL');
  vi.advanceTimersByTime(100);
  expect(await second.calls.call('join', null, 1_000)).toEqual({ ...start, isRestart: true });
});

test('a worker that answers no three calls in a row is killed, and the log says so', async () => {
  let answers = true;
  const hanging = fakeProcess({ ping: () => (answers ? null : new Promise(() => undefined)) });
  const { worker, logged } = supervise(hanging.near);
  await hanging.calls.call('join', null, 1_000);
  await hanging.calls.call('serving', SERVED, 1_000);
  await vi.advanceTimersByTimeAsync(60_000);
  answers = false;
  await vi.advanceTimersByTimeAsync(10_000);
  answers = true;
  await vi.advanceTimersByTimeAsync(5_000);
  answers = false;
  await vi.advanceTimersByTimeAsync(19_000);
  expect(hanging.kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hanging.kill.mock.calls).toEqual([['SIGKILL']]);
  expect(worker.child.state).toBe('restarting');
  expect(logged()).toContain(
    '"worker":2,"kind":"missed","missed":3,"msg":"a worker does not respond; killing it"',
  );
});

test('a worker that hangs before it serves is killed, the start fails, and another one is tried', async () => {
  const hanging = fakeProcess({ ping: () => new Promise(() => undefined) });
  const second = fakeProcess({ ping: () => null });
  const { worker } = supervise(hanging.near, second.near);
  await hanging.calls.call('join', null, 1_000);
  await vi.advanceTimersByTimeAsync(19_000);
  expect(hanging.kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hanging.kill.mock.calls).toEqual([['SIGKILL']]);
  const reason = 'worker 2 answered none of 3 calls in a row';
  await expect(worker.started).rejects.toMatchObject({ code: 'workersNotStarted', context: { reason } });
  await vi.advanceTimersByTimeAsync(100);
  await second.calls.call('join', null, 1_000);
  await second.calls.call('serving', SERVED, 1_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(second.kill).not.toHaveBeenCalled();
  expect(worker.child.state).toBe('ready');
});

test('a worker that never joins is killed after a minute, the start fails, and another one is tried', async () => {
  const [absent, second] = [fakeProcess({}), fakeProcess({ ping: () => null })];
  const { worker, logged } = supervise(absent.near, second.near);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(absent.kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(absent.kill.mock.calls).toEqual([['SIGKILL']]);
  const reason = 'worker 2 did not join its supervisor within 60000 ms';
  await expect(worker.started).rejects.toMatchObject({ code: 'workersNotStarted', context: { reason } });
  expect(logged()).toContain(
    '"kind":"absent","waitedMs":60000,"msg":"a worker does not respond; killing it"',
  );
  await vi.advanceTimersByTimeAsync(100);
  expect(await second.calls.call('join', null, 1_000)).toMatchObject({ isRestart: true });
});

test('a worker that was killed before it joined is watched no longer', async () => {
  const [first, second] = [fakeProcess({}), fakeProcess({ ping: () => null })];
  const { logged } = supervise(first.near, second.near);
  first.kill('SIGKILL');
  // Its message arrives after its exit.
  await first.calls.call('join', null, 1_000);
  await vi.advanceTimersByTimeAsync(100);
  await second.calls.call('join', null, 1_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect([first.kill.mock.calls.length, second.kill.mock.calls.length]).toEqual([1, 0]);
  expect(logged()).not.toContain('does not respond');
});
