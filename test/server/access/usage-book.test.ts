import { expect, test } from 'vitest';
import { type CountedCalls, UsageBook } from '../../../src/server/access/usage-book.ts';

const MINUTE_MS = 60_000;
const AT_MS = 1_760_000_040_000;
const CALL: CountedCalls = { keyId: 'k', network: 'n', method: 'm', outcome: 'ok', weight: 5 };

const ROW = { minuteMs: AT_MS, keyId: 'k', network: 'n', method: 'm' };

function newBook(maxRows = 100) {
  const lost = { counts: 0 };
  const book: UsageBook = new UsageBook({
    hasRoom: () => book.size < maxRows,
    onLost: (counts) => {
      lost.counts += counts;
    },
  });
  return { book, lost };
}

test('served, failed, faulty and refused messages are told apart; what was refused weighs nothing', () => {
  const { book } = newBook();
  for (const outcome of ['ok', 'error', 'callerError', 'refused', 'refused'] as const) {
    book.count(AT_MS, { ...CALL, outcome });
  }
  expect(book.take()).toEqual([
    { ...ROW, calls: 3, errors: 1, callerErrors: 1, refused: 2, weight: 15, messages: 0 },
  ]);
});

test('keys, networks, methods and minutes have rows of their own', () => {
  const { book } = newBook();
  const others = [{}, { keyId: 'k2' }, { network: 'n2' }, { method: 'm2' }];
  for (const other of others) book.count(AT_MS, { ...CALL, ...other });
  book.count(AT_MS + MINUTE_MS - 1, CALL);
  book.count(AT_MS + MINUTE_MS, CALL);
  expect(book.take().map(({ minuteMs, calls }) => [minuteMs - AT_MS, calls])).toEqual([
    [0, 2],
    [0, 1],
    [0, 1],
    [0, 1],
    [MINUTE_MS, 1],
  ]);
});

test('a clock that is set back counts in the minute that it shows', () => {
  const { book } = newBook();
  for (const atMs of [AT_MS + MINUTE_MS, AT_MS, AT_MS + MINUTE_MS]) book.count(atMs, CALL);
  expect(book.take().map(({ minuteMs }) => minuteMs - AT_MS)).toEqual([MINUTE_MS, 0, MINUTE_MS]);
});

test('what was taken is counted on in new rows', () => {
  const { book } = newBook();
  book.count(AT_MS, CALL);
  expect(book.take().length).toBe(1);
  expect([book.size, book.take()]).toEqual([0, []]);
  book.count(AT_MS, CALL);
  expect(book.take()).toMatchObject([{ calls: 1 }]);
});

test('without room, rows that are there count on, others are lost and reported', () => {
  const { book, lost } = newBook(2);
  for (const method of ['a', 'b', 'c', 'c', 'a']) book.count(AT_MS, { ...CALL, method });
  expect(lost.counts).toBe(2);
  expect(book.take().map(({ method, calls }) => [method, calls])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
});

test('pushed messages are counted with the calls of their method, and weigh nothing', () => {
  const { book } = newBook();
  book.count(AT_MS, CALL);
  const pushed = { keyId: 'k', network: 'n', method: 'm' };
  book.countPushed(AT_MS, { ...pushed, messages: 3 });
  book.countPushed(AT_MS, { ...pushed, messages: 4 });
  book.countPushed(AT_MS, { ...pushed, method: 'other', messages: 1 });
  const none = { calls: 0, errors: 0, callerErrors: 0, refused: 0, weight: 0 };
  expect(book.take()).toEqual([
    { ...ROW, ...none, calls: 1, weight: 5, messages: 7 },
    { ...ROW, ...none, method: 'other', messages: 1 },
  ]);
});

test('without room, each of the pushed messages is lost and reported', () => {
  const { book, lost } = newBook(0);
  book.countPushed(AT_MS, { keyId: 'k', network: 'n', method: 'm', messages: 30 });
  expect([lost.counts, book.take()]).toEqual([30, []]);
});
