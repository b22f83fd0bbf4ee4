import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createObjectLock } from '../../../src/signer/hsm/pkcs11/wrapped-keys.ts';

/** A lock, additions that the test ends, and the order of events. */
function scripted() {
  const lock = createObjectLock();
  const events: string[] = [];
  const add = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = lock.withAdd(async () => {
      events.push(`${name} begins`);
      await promise;
      events.push(`${name} ends`);
    });
    return { done, end: resolve, fail: reject };
  };
  const search = (name: string) => lock.withSearch(() => void events.push(name));
  return { lock, events, add, search };
}

test('additions run at once; a search waits for them, and a later addition waits for the search', async () => {
  const { events, add, search } = scripted();
  const [one, two] = [add('one'), add('two')];
  const searching = search('search');
  const three = add('three');
  one.end();
  await one.done;
  await nextTurn();
  expect(events).toEqual(['one begins', 'two begins', 'one ends']);
  two.end();
  await searching;
  three.end();
  await three.done;
  expect(events.slice(3)).toEqual(['two ends', 'search', 'three begins', 'three ends']);
});

test('a failed addition releases the lock', async () => {
  const { events, add, search } = scripted();
  const one = add('one');
  const searching = search('search');
  const two = add('two');
  one.fail(new Error('no room'));
  await expect(one.done).rejects.toThrow('no room');
  await searching;
  two.end();
  await two.done;
  expect(events).toEqual(['one begins', 'search', 'two begins', 'two ends']);
});

test('a failed search rejects without failing the others', async () => {
  const { lock, events, add, search } = scripted();
  const one = add('one');
  const broken = lock.withSearch(() => {
    throw new Error('no such key');
  });
  const refused = expect(broken).rejects.toThrow('no such key');
  const searching = search('search');
  const two = add('two');
  one.end();
  await refused;
  await searching;
  two.end();
  await two.done;
  expect(events).toEqual(['one begins', 'one ends', 'search', 'two begins', 'two ends']);
});
