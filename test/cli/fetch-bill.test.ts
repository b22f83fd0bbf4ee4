import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchBill } from '../../src/cli/bill/fetch-bill.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { type BillServer, startBillServer } from './bill-server.ts';

const directory = useNewDirectory('test');
const NUMBER = 'INV-000001';

/** Runs the command, with a clock that does not wait. */
async function fetchTo(path: string, { url }: BillServer, isInteractive = false) {
  const out: string[] = [];
  const notes: string[] = [];
  const waits: number[] = [];
  const terminal = {
    env: {},
    isInteractive,
    writeOut: (text: string) => void out.push(text),
    writeError: (text: string) => void notes.push(text),
  };
  const options = { url, token: 'ks_tok_1', 'data-dir': directory() };
  const pause = async (ms: number): Promise<void> => void waits.push(ms);
  const failure = await fetchBill({ words: [NUMBER, path], options }, terminal, { pause }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { out: out.join(''), notes: notes.join(''), waits, failure };
}

const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

test('a large bill comes in pages as large as the operations allow, under its name once it is whole', async () => {
  const server = await startBillServer(12_345);
  const path = join(directory(), 'bill');
  const { out, notes } = await fetchTo(path, server);
  expect(out).toContain(`Wrote ${NUMBER} with 12345 records to ${path}.`);
  expect(notes).toBe('');
  expect(server.asked.filter((each) => each.includes('/chain'))).toEqual([
    ...['/audit/chain?from_seq=5&limit=5000', '/audit/chain?from_seq=5005&limit=5000'],
    '/audit/chain?from_seq=10005&limit=5000',
  ]);
  expect(server.asked).toContain('/audit/heads?from_seq=5&limit=1000');
  expect(linesOf(path)).toHaveLength(1 + 12_345 + 13);
  expect([existsSync(`${path}.part`), statSync(path).mode & 0o777]).toEqual([false, 0o600]);
});

test('on a terminal a line says how far it is, and is gone at the end', async () => {
  const { notes } = await fetchTo(join(directory(), 'bill'), await startBillServer(2_500), true);
  expect(notes).toMatch(/\r\S*2,\d{3} records, up to 2026-01-01 00:\d\d UTC/);
  expect(notes.endsWith('\r\u001B[K')).toBe(true);
});

test('a server that is busy is asked again when it said, a proxy too; a connection that breaks after longer and longer pauses', async () => {
  const server = await startBillServer(6_000);
  server.refuse(NUMBER, { status: 429, retryAfter: 7, code: 'account_rate_limited' });
  server.refuse('from_seq=5005', { status: 503, retryAfter: 3 });
  server.refuse('from_seq=5005', { status: 503, code: 'store_unavailable' });
  server.refuse('from_seq=5005', 'cut');
  const path = join(directory(), 'bill');
  const { waits, notes, failure } = await fetchTo(path, server);
  expect(failure).toBeUndefined();
  expect(waits.slice(0, 2)).toEqual([7_000, 3_000]);
  expect(waits[2]).toBeGreaterThanOrEqual(2_000);
  expect(waits[3]).toBeGreaterThanOrEqual(4_000);
  expect(notes).toContain('trying again in 7 s (try 2 of 6)');
  expect(linesOf(path)).toHaveLength(1 + 6_000 + 7);
});

test('a server that stays busy is given up after six tries, one that asks for more than two minutes at once', async () => {
  const server = await startBillServer(10);
  for (let tries = 0; tries < 6; tries += 1) server.refuse(NUMBER, { status: 503, retryAfter: 1 });
  const path = join(directory(), 'bill');
  expect(await fetchTo(path, server)).toMatchObject({
    waits: [1_000, 1_000, 1_000, 1_000, 1_000],
    failure: expect.stringContaining('HTTP status 503'),
  });
  expect(server.asked).toHaveLength(6);
  server.refuse(NUMBER, { status: 429, retryAfter: 121, code: 'account_rate_limited' });
  const { waits, failure } = await fetchTo(path, server);
  expect([waits, failure]).toEqual([[], expect.stringContaining('; wait 121 s')]);
  expect(existsSync(`${path}.part`)).toBe(false);
});

test('a server that cannot be reached at all is an error at once', async () => {
  const { waits, failure } = await fetchTo(join(directory(), 'bill'), {
    ...(await startBillServer(1)),
    url: 'http://127.0.0.1:1',
  });
  expect([waits, failure]).toEqual([[], expect.stringContaining('could not be reached')]);
});

test('an interrupted bill continues behind the last whole line, and ends as an uninterrupted one', async () => {
  const server = await startBillServer(7_001);
  const [whole, path] = [join(directory(), 'whole'), join(directory(), 'bill')];
  await fetchTo(whole, server);
  for (let tries = 0; tries < 6; tries += 1) server.refuse('chain?from_seq=5005', 'cut');
  const broken = await fetchTo(path, server);
  expect(broken.failure).toContain(`run the command again to continue with ${path}.part`);
  expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, true]);
  // The line that was written when the process was killed.
  appendFileSync(`${path}.part`, '{"record":{"seq":4');
  const kept = linesOf(`${path}.part`).filter((line) => line.startsWith('{"record"')).length - 1;
  server.asked.length = 0;
  const { notes, failure } = await fetchTo(path, server);
  expect(failure).toBeUndefined();
  expect(notes).toBe(`Continuing with ${path}.part, which has ${kept - 1} records.\n`);
  expect(server.asked).toContain(`/audit/chain?from_seq=${5 + kept - 1}&limit=5000`);
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  expect(existsSync(`${path}.part`)).toBe(false);
});

test.each([0, 2])(
  'a bill with %i credit notes that was cut at every fifth byte ends as one that was not',
  async (notes) => {
    const server = await startBillServer(3 + notes, true, notes);
    const [whole, path] = [join(directory(), 'whole'), join(directory(), 'bill')];
    await fetchTo(whole, server);
    const bytes = readFileSync(whole);
    expect(linesOf(whole).filter((line) => line.startsWith('{"credit_note"'))).toHaveLength(notes);
    for (let size = 0; size <= bytes.length; size += 5) {
      const target = `${path}${size}`;
      writeFileSync(`${target}.part`, bytes);
      truncateSync(`${target}.part`, size);
      expect((await fetchTo(target, server)).failure, `cut behind byte ${size}`).toBeUndefined();
      expect(readFileSync(target).equals(bytes), `cut behind byte ${size}`).toBe(true);
    }
  },
);

test('records that are not signed yet are kept, and the next run continues with them', async () => {
  const server = await startBillServer(2_100, false);
  const path = join(directory(), 'bill');
  for (let runs = 0; runs < 3; runs += 1) {
    expect((await fetchTo(path, server)).failure).toContain('not signed yet');
    expect(linesOf(`${path}.part`)).toHaveLength(1 + 2_100 + 2);
  }
  server.sign();
  const { notes, failure } = await fetchTo(path, server);
  expect([failure, notes]).toEqual([undefined, `Continuing with ${path}.part, which has 2099 records.\n`]);
  expect(linesOf(path).at(-1)).toContain('"head"');
});

test('the record of a credit note that is not signed yet is waited for as that of the invoice', async () => {
  const server = await startBillServer(4, false, 1);
  const path = join(directory(), 'bill');
  expect((await fetchTo(path, server)).failure).toContain('of a credit note of it, are not signed yet');
  server.sign();
  expect((await fetchTo(path, server)).failure).toBeUndefined();
  expect(linesOf(path).at(-1)).toContain('CN-000001');
});

test('the beginning of another bill, and a file that exists, are left alone', async () => {
  const server = await startBillServer(3);
  const path = join(directory(), 'bill');
  const other = '{"bill":"keyslot bill v1","invoice":{"number":"INV-000002","from_seq":1}}\n';
  writeFileSync(`${path}.part`, other);
  expect((await fetchTo(path, server)).failure).toContain(`${path}.part is not the beginning of ${NUMBER}`);
  expect(readFileSync(`${path}.part`, 'utf8')).toBe(other);
  const changed = `${other.replace('INV-000002', NUMBER)}{"record":{"seq":1}}\n{"record":{"seq":2}}\n`;
  writeFileSync(`${path}.part`, changed);
  expect((await fetchTo(path, server)).failure).toContain('has a different invoice than the server');
  writeFileSync(path, 'mine');
  expect((await fetchTo(path, server)).failure).toContain(`cannot write ${path}: EEXIST`);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});
