import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFingerprintSet } from '../../src/signer/tombstones/fingerprint-set.ts';
import { openTombstones } from '../../src/signer/tombstones/tombstones.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const open = (isFirstStart = true) => openTombstones(directory(), { isFirstStart });
const path = () => join(directory(), 'tombstones');
const HEAD_BYTES = 8;
const RECORD_BYTES = 20;

async function bury(...walletIds: readonly string[]): Promise<void> {
  const tombstones = await open();
  for (const walletId of walletIds) await tombstones.bury(walletId);
  await tombstones.close();
}

test('what is buried is found again after the file is opened anew', async () => {
  const place = { masterWalletId: 'm', x: 3, y: 0x7fff_ffff };
  const first = await open();
  await first.bury('a', place);
  await first.close();
  const again = await open(false);
  expect([again.hasWallet('a'), again.hasChild(place)]).toEqual([true, true]);
  expect([again.hasWallet('b'), again.hasChild({ ...place, y: 0 })]).toEqual([false, false]);
  await again.close();
});

test('a wallet’s name and a place are never taken for each other', async () => {
  const tombstones = await open();
  await tombstones.bury('x', { masterWalletId: '1', x: 2, y: 3 });
  expect([tombstones.hasWallet('1'), tombstones.hasChild({ masterWalletId: 'x', x: 2, y: 3 })]).toEqual([
    false,
    false,
  ]);
  expect(tombstones.hasChild({ masterWalletId: '1', x: 3, y: 2 })).toBe(false);
  await tombstones.close();
});

test('burying twice writes once', async () => {
  await bury('a', 'a');
  expect(statSync(path()).size).toBe(HEAD_BYTES + RECORD_BYTES);
});

test('many at the same time are all kept', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `w${index}`);
  const tombstones = await open();
  await Promise.all(names.map((name) => tombstones.bury(name)));
  await tombstones.close();
  const again = await open(false);
  expect(names.every((name) => again.hasWallet(name))).toBe(true);
  await again.close();
});

test('wherever a crash tears the last record, those before it are kept and the file grows on', async () => {
  await bury('a', 'b');
  const whole = readFileSync(path());
  for (let torn = 1; torn < RECORD_BYTES; torn += 1) {
    writeFileSync(path(), whole.subarray(0, -torn));
    const tombstones = await open(false);
    expect([tombstones.hasWallet('a'), tombstones.hasWallet('b')]).toEqual([true, false]);
    await tombstones.bury('c');
    await tombstones.close();
    const again = await open(false);
    expect([again.hasWallet('a'), again.hasWallet('c')]).toEqual([true, true]);
    await again.close();
  }
});

test.each([
  ['zeros', Buffer.alloc(2 * RECORD_BYTES + 7)],
  ['noise', Buffer.alloc(3 * RECORD_BYTES, 0xa5)],
])('a tail of %s, as file systems leave after a crash, is cut off', async (_name, tail) => {
  await bury('a');
  appendFileSync(path(), tail);
  const tombstones = await open(false);
  expect(tombstones.hasWallet('a')).toBe(true);
  await tombstones.close();
  expect(statSync(path()).size).toBe(HEAD_BYTES + RECORD_BYTES);
});

test('a crash while the file was made leaves nothing that stops the next start', async () => {
  await bury('a');
  for (let length = 0; length < HEAD_BYTES; length += 1) {
    truncateSync(path(), length);
    const tombstones = await open();
    expect(tombstones.size()).toBe(0);
    await tombstones.close();
  }
});

test('damage before the end is refused, not read over', async () => {
  await bury('a', 'b');
  const bytes = readFileSync(path());
  bytes.writeUInt8((bytes[HEAD_BYTES] ?? 0) ^ 1, HEAD_BYTES);
  writeFileSync(path(), bytes);
  await expect(open(false)).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringContaining('damaged at byte 8'),
  });
});

test('another file in its place is refused', async () => {
  writeFileSync(path(), 'something else');
  await expect(open()).rejects.toMatchObject({ code: 'signerNotStarted' });
});

test('a lost file is refused where the directory was used before', async () => {
  await expect(open(false)).rejects.toMatchObject({ code: 'signerNotStarted' });
});

test('the set has what was added and nothing else', () => {
  const fingerprint = fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .filter((bytes) => bytes.some((byte) => byte !== 0));
  fc.assert(
    fc.property(fc.array(fingerprint, { maxLength: 3_000 }), fc.array(fingerprint), (added, others) => {
      const set = createFingerprintSet();
      for (const bytes of added) set.add(Buffer.from(bytes));
      const names = new Set(added.map((bytes) => Buffer.from(bytes).toString('hex')));
      expect(set.size()).toBe(names.size);
      for (const bytes of [...added, ...others]) {
        expect(set.has(Buffer.from(bytes))).toBe(names.has(Buffer.from(bytes).toString('hex')));
      }
    }),
    { numRuns: 20 },
  );
});

test('an entry takes 22 to 43 bytes of memory', () => {
  const set = createFingerprintSet();
  const bytes = Buffer.alloc(16);
  for (let count = 1; count <= 20_000; count += 1) {
    bytes.writeUInt32LE(Math.imul(count, 0x9e37_79b1) >>> 0, 0);
    bytes.writeUInt32LE(count, 4);
    set.add(bytes);
    if (count < 1_000) continue;
    const each = set.memoryBytes() / set.size();
    if (each < 21 || each > 43) throw new Error(`${each} bytes for each of ${count}`);
  }
});
