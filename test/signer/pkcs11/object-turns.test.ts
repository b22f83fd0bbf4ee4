import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createObjectTurns } from '../../../src/signer/hsm/pkcs11/object-turns.ts';

/** Work that adds, and that the test ends; what happens is written down. */
function scripted() {
  const turns = createObjectTurns();
  const events: string[] = [];
  const add = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = turns.adding(async () => {
      events.push(`${name} begins`);
      await promise;
      events.push(`${name} ends`);
    });
    return { done, end: resolve, fail: reject };
  };
  const look = (name: string) => turns.looking(() => void events.push(name));
  return { turns, events, add, look };
}

test('several add at once; a look waits for them, and who comes to add after it waits for the look', async () => {
  const { events, add, look } = scripted();
  const [one, two] = [add('one'), add('two')];
  const looking = look('look');
  const three = add('three');
  one.end();
  await one.done;
  await nextTurn();
  expect(events).toEqual(['one begins', 'two begins', 'one ends']);
  two.end();
  await looking;
  three.end();
  await three.done;
  expect(events.slice(3)).toEqual(['two ends', 'look', 'three begins', 'three ends']);
});

test('an addition that fails ends its turn', async () => {
  const { events, add, look } = scripted();
  const one = add('one');
  const looking = look('look');
  const two = add('two');
  one.fail(new Error('no room'));
  await expect(one.done).rejects.toThrow('no room');
  await looking;
  two.end();
  await two.done;
  expect(events).toEqual(['one begins', 'look', 'two begins', 'two ends']);
});

test('a look that fails is told alone', async () => {
  const { turns, events, add, look } = scripted();
  const one = add('one');
  const broken = turns.looking(() => {
    throw new Error('no such key');
  });
  const refused = expect(broken).rejects.toThrow('no such key');
  const looking = look('look');
  const two = add('two');
  one.end();
  await refused;
  await looking;
  two.end();
  await two.done;
  expect(events).toEqual(['one begins', 'one ends', 'look', 'two begins', 'two ends']);
});
