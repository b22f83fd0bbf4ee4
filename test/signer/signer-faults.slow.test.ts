import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSignature } from '../../src/signer/hsm/hsm.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startNode } from '../support/node-process.ts';
import { fakeSigner, newDataDir, newOwner, rowOf, startTestSigner } from './fixture/start-signer.ts';

const MESSAGE = Buffer.from('a message');

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a signer that is killed in the middle of requests loses none of them', async () => {
  const { signer, child } = await startTestSigner();
  const owner = newOwner();
  const [key] = await signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  const requests = [
    signer.create(Array.from({ length: 2_000 }, newOwner)),
    ...Array.from({ length: 200 }, () => signer.sign({ ...rowOf(owner, key), message: MESSAGE })),
  ] as const;
  process.kill(child.pid ?? 0, 'SIGKILL');
  const [made, ...signatures] = await Promise.all(requests);
  expect(made).toHaveLength(2_000);
  for (const signature of signatures)
    expect(isSignature(key.publicKey, MESSAGE, signature as Uint8Array)).toBe(true);
  expect(child.restarts).toBe(1);
});

test('what was destroyed before a kill stays destroyed', async () => {
  const { signer, child } = await startTestSigner();
  const owners = Array.from({ length: 50 }, newOwner);
  const keys = await signer.create(owners);
  await Promise.all(owners.map((owner) => signer.destroy(owner)));
  process.kill(child.pid ?? 0, 'SIGKILL');
  for (const [index, owner] of owners.entries()) {
    const key = keys[index];
    if (key === undefined) throw new Error('no key');
    await expect(signer.sign({ ...rowOf(owner, key), message: MESSAGE })).rejects.toMatchObject({
      code: 'walletNotFound',
    });
  }
});

test('a request that two signers died over is given up', async () => {
  const dataDir = newDataDir();
  const modulePath = fakeSigner(dataDir, 'const take = () => process.kill(process.pid, "SIGKILL");');
  const { signer, child } = await startTestSigner({ dataDir, modulePath });
  await expect(
    signer.sign({ ...newOwner(), sealed: Buffer.alloc(1), message: MESSAGE }),
  ).rejects.toMatchObject({
    code: 'signerUnavailable',
    cause: { message: 'the signer exited twice while handling the request' },
  });
  expect(child.restarts).toBeGreaterThanOrEqual(1);
});

test.each([
  [
    'an answer that is longer than any',
    'const b = Buffer.alloc(9); b.writeUInt32BE(0xffffffff); link.write(b);',
  ],
  ['an answer that is shorter than any', 'link.write(Buffer.alloc(9));'],
  ['an answer with the content of another', 'link.write(frame(id, 0, Buffer.alloc(3)));'],
])('%s is taken for the death of the signer', async (_name, answer) => {
  const dataDir = newDataDir();
  const { signer, child } = await startTestSigner({
    dataDir,
    modulePath: fakeSigner(dataDir, `const take = (id) => { ${answer} };`),
  });
  await expect(
    signer.sign({ ...newOwner(), sealed: Buffer.alloc(1), message: MESSAGE }),
  ).rejects.toMatchObject({ code: 'signerUnavailable' });
  await eventually('the signer is started again', () => (child.restarts > 0 ? true : undefined));
});

test('a signer that cannot start is reported with the reason, and not tried again', async () => {
  const { signer, dataDir } = await startTestSigner();
  await signer.close();
  rmSync(join(dataDir, 'signer', 'master.key'));
  await expect(startTestSigner({ dataDir })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringMatching(/master\.key is missing: restore it/),
  });
});

test('another master key is found at start', async () => {
  const [first, second] = [await startTestSigner(), await startTestSigner()];
  await Promise.all([first.signer.close(), second.signer.close()]);
  const other = readFileSync(join(second.dataDir, 'signer', 'master.key'));
  writeFileSync(join(first.dataDir, 'signer', 'master.key'), other);
  await expect(startTestSigner({ dataDir: first.dataDir })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringMatching(/sealed under another master key/),
  });
});

test('lost tombstones stop the start: they would revive keys', async () => {
  const { signer, dataDir } = await startTestSigner();
  await signer.close();
  rmSync(join(dataDir, 'signer', 'tombstones'));
  await expect(startTestSigner({ dataDir })).rejects.toMatchObject({ code: 'signerNotStarted' });
});

test('a signer that dies at every start is given up', async () => {
  const dataDir = newDataDir();
  const modulePath = join(dataDir, 'dies.mjs');
  writeFileSync(modulePath, 'process.exit(7)');
  await expect(startTestSigner({ dataDir, modulePath })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringMatching(/exited 3 times before it was ready/),
  });
});

test('two gateways cannot have one signer directory', async () => {
  const { dataDir } = await startTestSigner();
  await expect(startTestSigner({ dataDir })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringMatching(/in use by process/),
  });
});

test('the signer leaves when its gateway is killed', async () => {
  const dataDir = newDataDir();
  const gateway = startNode(['test/signer/fixture/gateway.ts', dataDir], {});
  const signerPid = await eventually('the gateway tells its signer', () => {
    const line = gateway.stdout().split('\n')[0] ?? '';
    return line === '' ? undefined : (JSON.parse(line) as { signerPid: number }).signerPid;
  });
  expect(isAlive(signerPid)).toBe(true);
  process.kill(gateway.pid, 'SIGKILL');
  await eventually('the signer has left', () => (isAlive(signerPid) ? undefined : true));
});

test('started by hand, the signer says how it is started', async () => {
  const signer = startNode(['src/signer/main.ts'], {});
  await eventually('it ends', () => signer.ended());
  expect([signer.ended(), signer.stderr()]).toEqual([
    'exit code 2',
    'keyslot serve starts the signer; do not start it by hand.\n',
  ]);
});

test('nothing that is secret is logged, whatever fails', async () => {
  const { signer, child, dataDir, logged } = await startTestSigner();
  const owner = newOwner();
  const [key] = await signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  const canary = Buffer.from('canary message of the wallet');
  const failure = await signer
    .sign({ ...rowOf({ ...owner, accountId: 'x' }, key), message: canary })
    .catch((error: unknown) => error);
  process.kill(child.pid ?? 0, 'SIGKILL');
  await signer.health();
  const master = readFileSync(join(dataDir, 'signer', 'master.key')).subarray(6, 38);
  const told = `${logged()}${failure instanceof Error ? [failure.stack, failure.message, failure.cause].map(String).join() : ''}`;
  for (const secret of [canary, master, Buffer.from(key.sealed)]) {
    for (const encoding of ['utf8', 'hex', 'base64'] as const)
      expect(told).not.toContain(secret.toString(encoding));
  }
});

test('a signer that goes silent is killed when a deadline passes, and the next one answers', async () => {
  const dataDir = newDataDir();
  const path = JSON.stringify(join(dataDir, 'was-here'));
  const script = `import { existsSync, writeFileSync } from 'node:fs';
    const isSecond = existsSync(${path});
    writeFileSync(${path}, '');
    const take = (id) => { if (isSecond) link.write(frame(id, 0)); };`;
  const { signer, child } = await startTestSigner({ dataDir, modulePath: fakeSigner(dataDir, script) });
  await expect(signer.health()).rejects.toMatchObject({ code: 'signerUnavailable' });
  await signer.health();
  expect(child.restarts).toBe(1);
});
