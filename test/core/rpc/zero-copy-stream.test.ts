import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { LentStream } from '../../../src/core/rpc/zero-copy-stream.ts';

/** A stream, and how often it asked for more or was destroyed. */
function open() {
  const seen = { wanted: 0, destroyed: 0 };
  const stream = new LentStream({
    highWaterMark: 8,
    onWanted: () => {
      seen.wanted += 1;
    },
    destroy: () => {
      seen.destroyed += 1;
    },
  });
  return { stream, seen };
}

/** Lends the text in a buffer that is overwritten as soon as it may be. */
function lend(stream: LentStream, text: string): boolean {
  const bytes = Buffer.from(text);
  const isDone = stream.lend(bytes);
  if (isDone) bytes.fill('!');
  return isDone;
}

test('bytes lent before anybody reads must stay; a reader gets copies from then on', async () => {
  const { stream } = open();
  const first = Buffer.from('first ');
  expect(stream.lend(first)).toBe(false);
  stream.read(0);
  first.fill('!');
  for (const text of ['2nd ', '3rd']) lend(stream, text);
  stream.finish();
  expect(String(await buffer(stream))).toBe('first 2nd 3rd');
});

test('a stream that was lent as a whole before anybody read is read and borrowed as a whole', async () => {
  const [read, borrowed] = [open().stream, open().stream];
  for (const stream of [read, borrowed]) {
    for (const text of ['first ', '2nd']) lend(stream, text);
    stream.finish();
  }
  expect(String(await buffer(read))).toBe('first 2nd');
  const taken: Buffer[] = [];
  await borrowed.borrow((part) => taken.push(part) > 0);
  expect(String(Buffer.concat(taken))).toBe('first 2nd');
});

test('a reader that is behind is not sent more than the high water mark', () => {
  const { stream } = open();
  stream.read(0);
  expect([lend(stream, 'four'), lend(stream, 'more')]).toEqual([true, false]);
});

test('a borrower gets the bytes themselves, first those that were lent before', async () => {
  const { stream, seen } = open();
  const [first, second] = [Buffer.from('first'), Buffer.from('second')];
  const taken: Buffer[] = [];
  stream.lend(first);
  const over = stream.borrow((part) => taken.push(part) > 0);
  expect(seen.wanted).toBe(1);
  expect(stream.lend(second)).toBe(true);
  stream.finish();
  await over;
  expect(taken[0]).toBe(first);
  expect(taken[1]).toBe(second);
});

test('as long as what was borrowed is needed, nothing more is wanted', async () => {
  const { stream, seen } = open();
  lend(stream, 'first');
  const over = stream.borrow(() => false);
  expect(seen.wanted).toBe(0);
  stream.goOn();
  expect(seen.wanted).toBe(1);
  expect(lend(stream, 'second')).toBe(false);
  stream.finish();
  await over;
  expect(seen).toEqual({ wanted: 1, destroyed: 1 });
});

test('a stream that breaks off notifies borrowers, now and later', async () => {
  const { stream } = open();
  const over = stream.borrow(() => true);
  stream.destroy(new Error('broken off'));
  await expect(over).rejects.toThrow('broken off');
  await expect(stream.borrow(() => true)).rejects.toThrow('broken off');
});

/** Sees what a stream carries, as text. */
function watcher() {
  const seen = { text: '', ends: 0 };
  return {
    seen,
    onPart: (part: Buffer) => {
      seen.text += String(part);
    },
    onEnd: () => {
      seen.ends += 1;
    },
  };
}

test('a watcher sees every part once, and the end, both when read and when borrowed', async () => {
  for (const isBorrowed of [false, true]) {
    const { stream, seen } = open();
    const watching = watcher();
    lend(stream, 'first ');
    expect(stream.watch(watching)).toBe(true);
    expect(watching.seen).toEqual({ text: 'first ', ends: 0 });
    const taken: string[] = [];
    const over = isBorrowed
      ? stream.borrow((part) => taken.push(String(part)) > 0)
      : buffer(stream).then((bytes) => void taken.push(String(bytes)));
    stream.read(0);
    for (const text of ['2nd ', '3rd']) lend(stream, text);
    stream.finish();
    await over;
    expect([watching.seen, taken.join('')]).toEqual([{ text: 'first 2nd 3rd', ends: 1 }, 'first 2nd 3rd']);
    expect(seen.wanted).toBeGreaterThan(0);
  }
});

test('a stream that is there as a whole is watched as a whole', async () => {
  const { stream } = open();
  lend(stream, 'all');
  stream.finish();
  const watching = watcher();
  expect(stream.watch(watching)).toBe(true);
  expect(watching.seen).toEqual({ text: 'all', ends: 1 });
  expect(String(await buffer(stream))).toBe('all');
});

test('watching asks for nothing and holds nothing up: a reader that is behind is waited for as before', () => {
  const { stream, seen } = open();
  stream.watch(watcher());
  expect(seen.wanted).toBe(0);
  stream.read(0);
  expect([lend(stream, 'four'), lend(stream, 'more')]).toEqual([true, false]);
  expect(seen.wanted).toBe(1);
});

test('a stream that somebody reads is not watched any more, nor by two', () => {
  const [read, watched] = [open().stream, open().stream];
  lend(read, 'gone');
  read.read(0);
  expect(read.watch(watcher())).toBe(false);
  expect([watched.watch(watcher()), watched.watch(watcher())]).toEqual([true, false]);
});

test('a watcher of a stream that breaks off, or is destroyed, sees no end', async () => {
  const [broken, left] = [open(), open()];
  const [first, second] = [watcher(), watcher()];
  broken.stream.watch(first);
  left.stream.watch(second);
  for (const { stream } of [broken, left]) lend(stream, 'part');
  const reading = expect(buffer(broken.stream)).rejects.toThrow('it broke');
  broken.stream.destroy(new Error('it broke'));
  await reading;
  left.stream.destroy();
  expect([first.seen, second.seen]).toEqual([
    { text: 'part', ends: 0 },
    { text: 'part', ends: 0 },
  ]);
  expect([broken.seen.destroyed, left.seen.destroyed]).toEqual([1, 1]);
});
