import { expect, test } from 'vitest';
import type { KeyEngine } from '../../../src/core/keys/engine.ts';
import { createJobRunner, type KeyChunk, newJob, type Threads } from '../../../src/core/keys/job-runner.ts';
import { type KeyTask, share, type TaskResult } from '../../../src/core/keys/key-task.ts';
import { ENGINES } from './engines.ts';

const engine: KeyEngine = ENGINES[0] ?? expect.fail('there is an engine');
const task: KeyTask = { kind: 'check' };

function fakeThreads(): Threads & { readonly given: PromiseWithResolvers<TaskResult>[]; isEnded: boolean } {
  const given: PromiseWithResolvers<TaskResult>[] = [];
  return {
    given,
    isEnded: false,
    run() {
      const step = Promise.withResolvers<TaskResult>();
      given.push(step);
      return step.promise;
    },
    async end() {
      this.isEnded = true;
    },
  };
}

function secretResult(): TaskResult {
  return { bytes: new Uint8Array(8).fill(7), count: 1, isStopped: false };
}

async function* one(chunk: KeyChunk) {
  yield chunk;
}

test('secrets of a job are wiped and its threads told to stop when its reader leaves', async () => {
  const runner = createJobRunner(engine, fakeThreads());
  const secret = share(new Uint8Array(4).fill(7));
  const job = newJob(new AbortController().signal, [secret]);
  const stream = runner.during(job, one({ bytes: Buffer.alloc(1), count: 1 }));
  await stream.next();
  expect(secret).toEqual(new Uint8Array(4).fill(7));
  expect(job.stop[0]).toBe(0);
  await stream.return();
  expect(secret).toEqual(new Uint8Array(4));
  expect(job.stop[0]).toBe(1);
});

test('an aborted signal tells the threads at once, without a reader', async () => {
  const runner = createJobRunner(engine, fakeThreads());
  const abort = new AbortController();
  const job = newJob(abort.signal, []);
  const stream = runner.during(job, one({ bytes: Buffer.alloc(1), count: 1 }));
  await stream.next();
  abort.abort();
  expect(job.stop[0]).toBe(1);
});

/** A runner that tells what its engine has wiped, and how long that was. */
function watchedRunner(threads: Threads) {
  const wiped: number[] = [];
  const wipe = (...secrets: readonly Uint8Array[]): void => {
    engine.wipe(...secrets);
    for (const secret of secrets) if (secret.every((byte) => byte === 0)) wiped.push(secret.length);
  };
  return { wiped, runner: createJobRunner({ ...engine, wipe }, threads) };
}

test('what comes after a job was given up is wiped and not given', async () => {
  const threads = fakeThreads();
  const { wiped, runner } = watchedRunner(threads);
  const abort = new AbortController();
  const job = newJob(abort.signal, []);
  const running = runner.run(job, task);
  const result = secretResult();
  Atomics.store(job.stop, 0, 1);
  abort.abort(new Error('the client left'));
  threads.given[0]?.resolve(result);
  await expect(running).rejects.toThrow('the client left');
  expect([wiped, result.bytes.length]).toEqual([[8], 0]);
});

test('a chunk that is dropped is wiped, then its memory is given back', () => {
  const { wiped, runner } = watchedRunner(fakeThreads());
  const bytes = Buffer.alloc(8, 7);
  runner.drop({ bytes, count: 1 });
  expect([wiped, bytes.length, bytes.buffer.detached]).toEqual([[8], 0, true]);
});

test('closing stops jobs, waits for what runs, ends the threads and takes nothing more', async () => {
  const threads = fakeThreads();
  const runner = createJobRunner(engine, threads);
  const job = newJob(new AbortController().signal, []);
  async function* body() {
    yield await runner.run(job, task);
  }
  const reading = runner.during(job, body()).next();
  await Promise.resolve();
  const closing = runner.close();
  expect(job.stop[0]).toBe(1);
  expect(threads.isEnded).toBe(false);
  threads.given[0]?.resolve({ bytes: new Uint8Array(0), count: 0, isStopped: true });
  await expect(reading).rejects.toThrow('Internal error');
  await closing;
  expect(threads.isEnded).toBe(true);
  await expect(runner.run(newJob(new AbortController().signal, []), task)).rejects.toThrow('Internal error');
});
