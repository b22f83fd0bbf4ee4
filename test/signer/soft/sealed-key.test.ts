import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type MasterKeys, newMasterKey } from '../../../src/signer/hsm/soft/own-master-keys.ts';
import { createSealer } from '../../../src/signer/hsm/soft/open-configured-soft.ts';

const OWNER = { walletId: 'w_1', accountId: 'acc_1' };
const sealer = createSealer();
const masters: MasterKeys = { current: newMasterKey(), previous: undefined };
const seed = randomBytes(32);
const sealed = () => sealer.seal(masters.current, OWNER, 'seed', seed);
const open = (key: Uint8Array, keys = masters, owner = OWNER) =>
  sealer.open(keys, { ...owner, sealed: key }, (secret) => Buffer.from(secret));

test.each([
  ['seed', 32, 88],
  ['masterNode', 64, 120],
] as const)('a %s of %i bytes is sealed in %i', (content, size, length) => {
  const secret = randomBytes(size);
  const record = sealer.seal(masters.current, OWNER, content, secret);
  expect(record).toHaveLength(length);
  const opened = sealer.open(masters, { ...OWNER, sealed: record }, (bytes, kind) => [
    Buffer.from(bytes),
    kind,
  ]);
  expect(opened).toEqual([secret, content]);
});

test('the record begins with its format, its content and the id of its master key', () => {
  expect(sealed().subarray(0, 12)).toEqual(
    Buffer.concat([Buffer.of(1, 1), masters.current.id, Buffer.of(0, 1)]),
  );
});

test('two seals of one secret have nothing in common behind the head', () => {
  const [first, second] = [sealed(), sealed()];
  expect(first.subarray(12, 40)).not.toEqual(second.subarray(12, 40));
  expect(first.subarray(40)).not.toEqual(second.subarray(40));
});

test('a key opens for its own wallet and its own account alone', () => {
  expect(open(sealed())).toEqual(seed);
  for (const other of [{ walletId: 'w_2' }, { accountId: 'acc_2' }])
    expect(() => open(sealed(), masters, { ...OWNER, ...other })).toThrow(
      expect.objectContaining({ code: 'keyBackendFailed' }),
    );
});

test('the names of wallet and account cannot be shifted into each other', () => {
  const key = sealer.seal(masters.current, { walletId: 'ab', accountId: 'c' }, 'seed', seed);
  expect(() => open(key, masters, { walletId: 'a', accountId: 'bc' })).toThrow(
    expect.objectContaining({ code: 'keyBackendFailed' }),
  );
});

test('a master key that is not live opens nothing, and its id is told', () => {
  const others = { current: newMasterKey(), previous: newMasterKey() };
  expect(() => open(sealed(), others)).toThrow(
    expect.objectContaining({
      cause: new Error(`the key is sealed under another master key (${masters.current.id.toString('hex')})`),
    }),
  );
});

test('another master key with the same id does not open it', () => {
  const forged = { current: { id: masters.current.id, key: newMasterKey().key }, previous: undefined };
  expect(() => open(sealed(), forged)).toThrow(expect.objectContaining({ code: 'keyBackendFailed' }));
});

test('the previous master key opens what it sealed', () => {
  const rotated = { current: newMasterKey(), previous: masters.current };
  expect(open(sealed(), rotated)).toEqual(seed);
});

test('the opened secret is wiped when its use is over, after a failure too', () => {
  let kept: Buffer = Buffer.alloc(0);
  const use = (secret: Buffer): void => {
    kept = secret;
    throw new Error('use failed');
  };
  expect(() => sealer.open(masters, { ...OWNER, sealed: sealed() }, use)).toThrow('use failed');
  expect(kept).toEqual(Buffer.alloc(32));
});
