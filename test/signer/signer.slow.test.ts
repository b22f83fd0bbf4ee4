import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSignature } from '../../src/signer/hsm/hsm.ts';
import { eventually } from '../../src/core/eventually.ts';
import { newOwner, rowOf, startTestSigner } from './fixture/start-signer.ts';

const MESSAGE = Buffer.from('a message');

test('keys are made in the order asked for, many in one call, and each signs', async () => {
  const { signer } = await startTestSigner();
  const owners = Array.from({ length: 300 }, newOwner);
  const keys = await signer.create(owners);
  expect(new Set(keys.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))).size).toBe(300);
  for (const index of [0, 127, 128, 299]) {
    const [owner, key] = [owners[index] ?? newOwner(), keys[index]];
    if (key === undefined) throw new Error(`no key ${index}`);
    expect(key.protection).toMatch(/^software: sealed with AES-256-GCM/);
    const signature = await signer.sign({ ...rowOf(owner, key), message: MESSAGE });
    expect(isSignature(key.publicKey, MESSAGE, signature)).toBe(true);
  }
});

test('a key is refused for another wallet and for another account', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const [key] = await signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  for (const other of [
    { ...owner, walletId: 'w_other' },
    { ...owner, accountId: 'acc_other' },
  ]) {
    await expect(signer.sign({ ...rowOf(other, key), message: MESSAGE })).rejects.toMatchObject({
      code: 'keyBackendFailed',
    });
  }
});

test('children of a master are the same at each derivation, and other masters have others', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const master = await signer.createMaster(owner);
  const children = [0, 1, 2].map((y) => ({ walletId: newOwner().walletId, x: 7, y }));
  const once = await signer.derive({ master: rowOf(owner, master), children });
  const again = await signer.derive({ master: rowOf(owner, master), children });
  const publicKeys = (keys: typeof once) =>
    keys.map((key) => (key === 'destroyed' ? key : Buffer.from(key.publicKey).toString('hex')));
  expect(publicKeys(again)).toEqual(publicKeys(once));
  expect(new Set(publicKeys(once)).size).toBe(3);
});

test('a destroyed key is refused with every sealed copy of it, after a restart too', async () => {
  const first = await startTestSigner();
  const owner = newOwner();
  const [key] = await first.signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  const copy = rowOf(owner, key);
  await first.signer.destroy(owner);
  // @ts-expect-error a destruction takes no sealed copy: it is of all of them
  await first.signer.destroy({ ...owner, sealed: copy.sealed });
  await expect(first.signer.sign({ ...copy, message: MESSAGE })).rejects.toMatchObject({
    code: 'walletNotFound',
  });
  await first.signer.close();
  const { signer } = await startTestSigner({ dataDir: first.dataDir });
  await expect(signer.sign({ ...copy, message: MESSAGE })).rejects.toMatchObject({ code: 'walletNotFound' });
  await expect(signer.create([owner])).rejects.toMatchObject({ code: 'walletNotFound' });
});

test('a destroyed child is never derived again at its place; its siblings and its master live on', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const master = rowOf(owner, await signer.createMaster(owner));
  const child = { walletId: newOwner().walletId, x: 1, y: 2 };
  const derivedFrom = { masterWalletId: owner.walletId, x: 1, y: 2 };
  await signer.destroy({ walletId: child.walletId, accountId: owner.accountId, derivedFrom });
  const places = [
    child,
    { ...child, walletId: newOwner().walletId },
    { walletId: newOwner().walletId, x: 1, y: 3 },
  ];
  const [same, renamed, sibling] = await signer.derive({ master, children: places });
  expect([same, renamed]).toEqual(['destroyed', 'destroyed']);
  expect(sibling).toHaveProperty('publicKey');
});

test('destroying a master destroys no child, and nothing more is derived from it', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const master = rowOf(owner, await signer.createMaster(owner));
  const place = { walletId: newOwner().walletId, x: 0, y: 0 };
  const [child] = await signer.derive({ master, children: [place] });
  if (child === undefined || child === 'destroyed') throw new Error('no child');
  await signer.destroy(owner);
  const childRow = rowOf({ walletId: place.walletId, accountId: owner.accountId }, child);
  expect(isSignature(child.publicKey, MESSAGE, await signer.sign({ ...childRow, message: MESSAGE }))).toBe(
    true,
  );
  await expect(signer.derive({ master, children: [place] })).rejects.toMatchObject({
    code: 'walletNotFound',
  });
});

test('audit heads are signed by a key of the signer that stays the same over restarts', async () => {
  const first = await startTestSigner();
  const head = Buffer.from('head');
  const publicKey = await first.signer.auditPublicKey();
  expect(isSignature(publicKey, head, await first.signer.signAuditHead(head))).toBe(true);
  await first.signer.close();
  const { signer } = await startTestSigner({ dataDir: first.dataDir });
  expect(await signer.auditPublicKey()).toEqual(publicKey);
});

test('the name of the signer’s own key is no wallet’s', async () => {
  const { signer } = await startTestSigner();
  const owner = { walletId: 'keyslot:audit-head', accountId: 'a' };
  await expect(signer.create([owner])).rejects.toMatchObject({ code: 'keyBackendFailed' });
  await expect(signer.destroy(owner)).rejects.toMatchObject({ code: 'keyBackendFailed' });
});

test('messages have 1 byte to 1 MiB', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const [key] = await signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  const sign = (bytes: number) => signer.sign({ ...rowOf(owner, key), message: Buffer.alloc(bytes) });
  for (const refused of [0, 2 ** 20 + 1])
    await expect(sign(refused)).rejects.toMatchObject({ code: 'keyBackendFailed' });
  for (const taken of [1, 2 ** 20]) expect(await sign(taken)).toHaveLength(64);
});

test('it says what it can, and that a key could be used', async () => {
  const { signer } = await startTestSigner();
  expect(signer.capabilities()).toEqual({
    kind: 'soft',
    protection: expect.stringContaining('AES-256-GCM'),
    keysIn: 'row',
    derive: true,
    rotatesMaster: true,
    maxManagedBatch: undefined,
  });
  await signer.health();
});

test('its files can be read by their owner only', async () => {
  const { dataDir } = await startTestSigner();
  const modeOf = async (path: string) => ((await stat(join(dataDir, path))).mode & 0o777).toString(8);
  expect(await modeOf('signer')).toBe('700');
  for (const file of ['master.key', 'tombstones', 'audit.key'])
    expect(await modeOf(`signer/${file}`)).toBe('600');
});

test('no argument and no environment variable of it holds a setting', async (context) => {
  if (process.platform !== 'linux')
    return context.skip('what a process was started with is read from /proc, which only Linux has');
  process.env.KEYSLOT_PKCS11_PIN = 'canary-pin';
  const { child } = await startTestSigner();
  delete process.env.KEYSLOT_PKCS11_PIN;
  const [cmdline = '', environ = ''] = ['cmdline', 'environ'].map((file) =>
    readFileSync(`/proc/${child.pid}/${file}`, 'utf8'),
  );
  expect(environ).not.toMatch(/KEYSLOT_|canary-pin/);
  const [, ...args] = cmdline.split('\0').filter((part) => part !== '');
  expect(args).toEqual(['--disable-sigusr1', expect.stringMatching(/src\/signer\/main\.ts$/)]);
});

test('it tells which of many wallets are destroyed, and which are at a place whose child was', async () => {
  const first = await startTestSigner();
  const owners = Array.from({ length: 300 }, newOwner);
  const place = { masterWalletId: 'w_master', x: 1, y: 2 };
  for (const at of [0, 128, 299]) await first.signer.destroy(owners[at] ?? newOwner());
  await first.signer.destroy({ ...newOwner(), derivedFrom: place });
  await first.signer.close();
  const { signer } = await startTestSigner({ dataDir: first.dataDir });
  const singles = owners.map(({ walletId }) => ({ walletId, derivedFrom: undefined }));
  const children = [place, { ...place, y: 3 }].map((at) => ({ ...newOwner(), derivedFrom: at }));
  const answers = await signer.findDestroyed([...singles, ...children]);
  expect(answers).toHaveLength(302);
  expect(answers.flatMap((isDestroyed, at) => (isDestroyed ? [at] : []))).toEqual([0, 128, 299, 300]);
});

test('a destruction that is under way is known to later requests', async () => {
  const { signer } = await startTestSigner();
  const owner = newOwner();
  const destroyed = signer.destroy(owner);
  const found = await signer.findDestroyed([{ walletId: owner.walletId, derivedFrom: undefined }]);
  await destroyed;
  expect(found).toEqual([true]);
});

test('where its files are gone while it runs it makes no new ones when it is started again', async () => {
  const { child, dataDir, logged } = await startTestSigner();
  rmSync(join(dataDir, 'signer'), { recursive: true });
  child.kill();
  await eventually('it is given up', () => (child.state === 'stopped' ? true : undefined));
  expect(logged()).toContain("has no signer's files");
  expect(existsSync(join(dataDir, 'signer'))).toBe(false);
});

test('where its files become those of another signer while it runs it is not served', async () => {
  const other = await startTestSigner();
  await other.signer.close();
  const { child, dataDir, logged } = await startTestSigner();
  rmSync(join(dataDir, 'signer'), { recursive: true });
  cpSync(join(other.dataDir, 'signer'), join(dataDir, 'signer'), { recursive: true });
  child.kill();
  await eventually('it is given up', () => (child.state === 'stopped' ? true : undefined));
  expect(logged()).toContain('were replaced by those of another signer');
});
