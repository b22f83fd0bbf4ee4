import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFingerprintSet } from '../../src/signer/tombstones/fingerprint-set.ts';
import { openTombstones } from '../../src/signer/tombstones/tombstones.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { rounds } from '../support/tier.ts';

const directory = useNewDirectory();
const cut: string[] = [];
const open = (mayCreate = true, acceptsLoss = false) =>
  openTombstones(directory(), { mayCreate, acceptsLoss, onCut: (what) => void cut.push(what) });
const path = () => join(directory(), 'tombstones');
const HEAD_BYTES = 4096;
const RECORD_BYTES = 20;

async function bury(...walletIds: readonly string[]): Promise<void> {
  const tombstones = await open();
  for (const walletId of walletIds) await tombstones.bury(walletId);
  await tombstones.close();
}

test('entries are found again after the file is reopened', async () => {
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

/** An entry as the file has it: a fingerprint and its CRC-32. */
function entry(name: string): Buffer {
  const fingerprint = hash('sha256', `wallet\n${name}`, 'buffer').subarray(0, 16);
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes.writeUInt32LE(crc32(fingerprint), fingerprint.copy(bytes));
  return bytes;
}

test('wherever a crash tears a record that was not acknowledged, it is cut off, and the file grows on', async () => {
  await bury('a', 'b');
  const whole = readFileSync(path());
  for (let left = 1; left < RECORD_BYTES; left += 1) {
    writeFileSync(path(), Buffer.concat([whole, entry('torn').subarray(0, left)]));
    cut.length = 0;
    const tombstones = await open(false);
    expect(['a', 'b', 'torn'].map(tombstones.hasWallet)).toEqual([true, true, false]);
    expect(cut).toEqual([expect.stringContaining(`the last ${left} bytes`)]);
    await tombstones.bury('c');
    await tombstones.close();
    const again = await open(false);
    expect(['a', 'b', 'c'].map(again.hasWallet)).toEqual([true, true, true]);
    await again.close();
  }
});

test('a record that is whole on the disk without a head that tells of it is kept', async () => {
  await bury('a');
  appendFileSync(path(), entry('b'));
  for (const _start of [1, 2]) {
    const tombstones = await open(false);
    expect(tombstones.hasWallet('b')).toBe(true);
    expect(await tombstones.read(0)).toMatchObject({ count: 2 });
    await tombstones.close();
  }
});

test('wherever the end of what was acknowledged is cut off, the start is refused and says what to restore', async () => {
  await bury('a', 'b');
  const whole = readFileSync(path());
  for (let torn = 1; torn <= 2 * RECORD_BYTES; torn += 1) {
    writeFileSync(path(), whole.subarray(0, -torn));
    const left = torn <= RECORD_BYTES ? 1 : 0;
    await expect(open(false)).rejects.toMatchObject({
      code: 'signerNotStarted',
      message: expect.stringMatching(
        new RegExp(`has ${left} of the 2 destroyed keys.*restore the directory`),
      ),
    });
    expect(readFileSync(path()).equals(whole.subarray(0, -torn))).toBe(true);
  }
});

test('other records than those that were acknowledged are refused', async () => {
  await bury('a', 'b');
  const bytes = readFileSync(path());
  entry('x').copy(bytes, HEAD_BYTES);
  writeFileSync(path(), bytes);
  await expect(open(false)).rejects.toThrow('does not match the 2 destroyed keys');
});

test('what is left is taken where the operator accepts the loss, and is the record from then on', async () => {
  await bury('a', 'b');
  truncateSync(path(), HEAD_BYTES + RECORD_BYTES + 3);
  const accepted = await open(false, true);
  expect(['a', 'b'].map(accepted.hasWallet)).toEqual([true, false]);
  await accepted.close();
  const again = await open(false);
  expect(await again.read(0)).toMatchObject({ count: 1 });
  await again.close();
});

test.each([1024, 2048])('a crash that tears the head at byte %i leaves a file that opens', async (at) => {
  await bury('a', 'b', 'c');
  const bytes = readFileSync(path());
  bytes.fill(0xa5, at, at + 56);
  writeFileSync(path(), bytes);
  const tombstones = await open(false);
  expect(['a', 'b', 'c'].map(tombstones.hasWallet)).toEqual([true, true, true]);
  await tombstones.close();
});

test('a file without a head that is whole is refused', async () => {
  await bury('a');
  const bytes = readFileSync(path());
  bytes.fill(0, 8, HEAD_BYTES);
  writeFileSync(path(), bytes);
  await expect(open(false)).rejects.toThrow('damaged at its head');
});

test('a file of the format before is taken over whole, and says that no store knows it until one does', async () => {
  writeFileSync(
    path(),
    Buffer.concat([Buffer.from('KSTOMB1\n'), entry('a'), entry('b'), Buffer.from('torn')]),
  );
  const taken = await open(false);
  expect(['a', 'b'].map(taken.hasWallet)).toEqual([true, true]);
  expect(await taken.read(0)).toMatchObject({ count: 2, isAdopted: false });
  await taken.adopt();
  await taken.bury('c');
  await taken.close();
  const again = await open(false);
  expect(await again.read(0)).toMatchObject({ count: 3, isAdopted: true });
  await again.close();
});

test('what is read from an entry on follows it, and adding what another record has writes it once', async () => {
  await bury('a', 'b', 'c');
  const first = await open(false);
  const { fingerprints, hash: end } = await first.read(1);
  expect(fingerprints).toHaveLength(32);
  await first.add(fingerprints);
  expect(await first.read(3)).toMatchObject({ count: 3, hash: end, fingerprints: Buffer.alloc(0) });
  await first.close();
  rmSync(path());
  const other = await open();
  await other.add(fingerprints);
  expect(['a', 'b', 'c'].map(other.hasWallet)).toEqual([false, true, true]);
  await other.close();
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
  const mark = 'KSTOMB1\n';
  for (let length = 0; length < mark.length; length += 1) {
    writeFileSync(path(), mark.slice(0, length));
    await expect(open(false)).rejects.toThrow('is truncated');
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
    message: expect.stringContaining('damaged at byte 4096'),
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
    { numRuns: rounds(20) },
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
