import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCredentialMasterKeys } from '../../../src/signer/hsm/soft/open-configured-soft.ts';
import { openOwnMasterKeys } from '../../../src/signer/hsm/soft/own-master-keys.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const path = (name = 'master.key') => join(directory(), name);
const open = (isFirstStart = false) => openOwnMasterKeys(directory(), { isFirstStart });
const refusal = (text: RegExp) => ({ code: 'signerNotStarted', message: expect.stringMatching(text) });

test('it is made at the first start, for its owner only, and is the same later', async () => {
  const first = await open(true);
  expect((statSync(path()).mode & 0o777).toString(8)).toBe('600');
  const again = await open();
  expect(again.keys().current.id).toEqual(first.keys().current.id);
  expect(again.keys().current.key.equals(first.keys().current.key)).toBe(true);
});

test('where it was before, a lost one is not replaced', async () => {
  await expect(open()).rejects.toMatchObject(refusal(/is missing: restore it/));
});

test('one that others can read is refused', async () => {
  await open(true);
  chmodSync(path(), 0o640);
  await expect(open()).rejects.toMatchObject(refusal(/can be read by other users/));
});

test('a damaged one is refused, wherever the damage is', async () => {
  await open(true);
  const whole = readFileSync(path());
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8((whole[at] ?? 0) ^ 0x10, at);
    writeFileSync(path(), damaged);
    await expect(open()).rejects.toMatchObject(refusal(/is damaged/));
  }
  for (const cut of [0, 1, whole.length - 1]) {
    writeFileSync(path(), whole.subarray(0, cut));
    await expect(open()).rejects.toMatchObject(refusal(/is damaged/));
  }
});

test('a rotation has two keys live over restarts, until it is finished', async () => {
  const store = await open(true);
  const old = store.keys().current;
  await store.begin();
  expect(store.keys().previous?.id).toEqual(old.id);
  const restarted = await open();
  expect(restarted.keys().previous?.id).toEqual(old.id);
  await restarted.begin();
  expect(restarted.keys().current.id).toEqual(store.keys().current.id);
  await restarted.finish();
  await restarted.finish();
  expect((await open()).keys()).toMatchObject({
    current: { id: store.keys().current.id },
    previous: undefined,
  });
});

test('a rotation that is begun twice at once makes one new key', async () => {
  const store = await open(true);
  const old = store.keys().current;
  await Promise.all([store.begin(), store.begin()]);
  expect(store.keys().previous?.id).toEqual(old.id);
});

test('a credential file holds 32 bytes, or 64 hexadecimal digits', async () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
  const read = async (content: Buffer | string) => {
    writeFileSync(path('credential'), content);
    return (await openCredentialMasterKeys({ masterKeyFile: path('credential') })).keys().current;
  };
  for (const content of [
    bytes,
    bytes.toString('hex'),
    `${bytes.toString('hex').toUpperCase()}\n`,
    `${bytes.toString('hex')}\r\n`,
  ]) {
    expect((await read(content)).key.equals(bytes)).toBe(true);
  }
  for (const content of [
    '',
    bytes.subarray(1),
    Buffer.alloc(33),
    'g'.repeat(64),
    `${'a'.repeat(63)}`,
    'a'.repeat(67),
  ]) {
    await expect(read(content)).rejects.toMatchObject(refusal(/must hold 32 bytes or 64 hexadecimal digits/));
  }
});

test('a missing credential file is told by its setting', async () => {
  await expect(openCredentialMasterKeys({ masterKeyFile: path('none') })).rejects.toMatchObject(
    refusal(/hsm\.soft\.master_key_file .*does not exist/),
  );
});

test('credential files are rotated by the operator, and the refusal says how', async () => {
  writeFileSync(path('new'), Buffer.alloc(32, 1));
  writeFileSync(path('old'), Buffer.alloc(32, 2));
  const alone = await openCredentialMasterKeys({ masterKeyFile: path('new') });
  await expect(alone.begin()).rejects.toMatchObject({
    code: 'invalidCommand',
    message: expect.stringContaining('KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE'),
  });
  const both = await openCredentialMasterKeys({
    masterKeyFile: path('new'),
    previousMasterKeyFile: path('old'),
  });
  await both.begin();
  expect(both.keys().previous).toBeDefined();
});
