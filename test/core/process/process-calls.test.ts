import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type ProcessChannel, ProcessCalls } from '../../../src/core/process/process-calls.ts';
import { serviceError } from '../../../src/core/service-error.ts';

/** Two ends of a channel, which passes JSON on in the next turn. */
function openChannel(): readonly [ProcessChannel & EventEmitter, ProcessChannel & EventEmitter] {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  const connect = (own: EventEmitter, other: EventEmitter) =>
    Object.assign(own, {
      connected: true,
      send: ((message: unknown) => {
        setImmediate(() => other.emit('message', JSON.parse(JSON.stringify(message))));
        return true;
      }) as NonNullable<ProcessChannel['send']>,
    });
  return [connect(ends[0], ends[1]), connect(ends[1], ends[0])];
}

test('both processes call each other, each result to its call', async () => {
  const [here, there] = openChannel();
  const parent = new ProcessCalls(here, { double: (argument) => 2 * Number(argument) });
  const child = new ProcessCalls(there, { negate: async (argument) => -Number(argument) });
  expect(
    await Promise.all([
      parent.call('negate', 1, 1_000),
      child.call('double', 2, 1_000),
      parent.call('negate', 3, 1_000),
    ]),
  ).toEqual([-1, 4, -3]);
});

test('an error of the other process keeps its name and context', async () => {
  const [here, there] = openChannel();
  const parent = new ProcessCalls(here, {});
  new ProcessCalls(there, {
    refuse: () => {
      throw serviceError('rotationUnfinished', { reason: 'worker 2 is being started again' });
    },
  });
  await expect(parent.call('refuse', null, 1_000)).rejects.toMatchObject({
    code: 'rotationUnfinished',
    context: { reason: 'worker 2 is being started again' },
  });
  await expect(parent.call('unknown', null, 1_000)).rejects.toMatchObject({ code: 'internalError' });
});

test('a call fails when the other process is gone, or gives no answer in time', async () => {
  const [here, there] = openChannel();
  const calls = new ProcessCalls(here, {});
  new ProcessCalls(there, { wait: () => new Promise(() => undefined) });
  await expect(calls.call('wait', null, 5)).rejects.toThrow('no answer within 5 ms');
  const waits = calls.call('wait', null, 60_000);
  here.emit('disconnect');
  await expect(waits).rejects.toThrow('the process has exited');
  Object.assign(here, { connected: false });
  await expect(calls.call('wait', null, 60_000)).rejects.toThrow('the process has exited');
});
