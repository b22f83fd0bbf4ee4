import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isSignature } from '../../../src/signer/hsm/hsm.ts';
import { CK } from '../../../src/signer/hsm/pkcs11/cryptoki.ts';
import { keyIdOf } from '../../../src/signer/hsm/pkcs11/wrapped-keys.ts';
import { loadCryptoki } from '../../../src/signer/hsm/pkcs11/open-pkcs11.ts';
import { findObjects, readFlag } from '../../../src/signer/hsm/pkcs11/generate-key.ts';
import { openToken } from '../../../src/signer/hsm/pkcs11/token.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { diskDirectory } from '../../support/disk-directory.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING, type TestToken } from '../../support/softhsm.ts';
import { newDataDir, newOwner, rowOf, startTestSigner } from '../fixture/start-signer.ts';

const MESSAGE = Buffer.from('a message');
const softHsm = findSoftHsm();

/** A test with a token of its own; skipped, with the reason, where the machine has no SoftHSM. */
function tokenTest(name: string, body: (token: TestToken, directory: string) => Promise<void>): void {
  test(name, async (context) => {
    if (softHsm === undefined) return context.skip(SOFTHSM_MISSING);
    const directory = diskDirectory('keyslot-token-');
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    await body(newToken(softHsm, directory), directory);
  });
}

const hsmOf = ({ library, label, pin }: TestToken, more: object = {}) => ({
  kind: 'pkcs11' as const,
  soft: {},
  pkcs11: { library, token: label, pin, sessions: 2, wrap: false, ...more },
});

async function startWithKey(token: TestToken, more: object = {}) {
  const started = await startTestSigner({ hsm: hsmOf(token, more) });
  const owner = newOwner();
  const [key] = await started.signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  return { ...started, owner, key, row: rowOf(owner, key) };
}

tokenTest('through the signer, a key is made in the token, signs, and is destroyed', async (token) => {
  const { signer, row, key } = await startWithKey(token);
  expect(isSignature(key.publicKey, MESSAGE, await signer.sign({ ...row, message: MESSAGE }))).toBe(true);
  expect(key.protection).toMatch(/^PKCS#11 token \(.*SoftHSM.*\): made in the token/);
  await signer.destroy(row);
  await expect(signer.sign({ ...row, message: MESSAGE })).rejects.toMatchObject({ code: 'walletNotFound' });
});

tokenTest('a token sets no bound to a batch, unless one is configured', async (token) => {
  const { signer } = await startTestSigner({ hsm: hsmOf(token) });
  expect(signer.capabilities()).toMatchObject({ kind: 'pkcs11', keysIn: 'token', derive: false });
  expect(signer.capabilities().maxManagedBatch).toBeUndefined();
  const configured = await startTestSigner({ hsm: { ...hsmOf(token), max_managed_batch: 77 } });
  expect(configured.signer.capabilities().maxManagedBatch).toBe(77);
});

tokenTest('what a token cannot do is refused by name', async (token) => {
  const { signer, row } = await startWithKey(token);
  await expect(signer.createMaster(newOwner())).rejects.toMatchObject({ code: 'deriveNotSupported' });
  const children = [{ walletId: 'w_c', x: 0, y: 0 }];
  await expect(signer.derive({ master: row, children })).rejects.toMatchObject({
    code: 'deriveNotSupported',
  });
  await expect(signer.beginRotation()).rejects.toMatchObject({ code: 'invalidCommand' });
});

tokenTest('keys of the token are sensitive, and extractable neither now nor ever', async (token) => {
  const { signer, owner } = await startWithKey(token);
  await signer.close();
  const cryptoki = await loadCryptoki(token.library);
  const opened = await openToken(cryptoki, {
    label: token.label,
    slot: undefined,
    sessions: 1,
    readPin: async () => token.pin,
  });
  await opened.use(async (session) => {
    const found = findObjects(cryptoki, session, [{ type: CK.attribute.id, value: keyIdOf(owner) }]);
    expect(found).toHaveLength(1);
    const { sensitive, extractable, alwaysSensitive, neverExtractable } = CK.attribute;
    const flags = [sensitive, extractable, alwaysSensitive, neverExtractable];
    expect(found.flatMap((object) => flags.map((type) => readFlag(cryptoki, session, object, type)))).toEqual(
      [true, false, true, true],
    );
  });
  await opened.close();
});

tokenTest(
  'a token that is removed fails its calls, and serves again when it is back, without a restart',
  async (token) => {
    const { signer, child, row, key } = await startWithKey(token);
    renameSync(token.tokens, `${token.tokens}-away`);
    await eventually('the loss is noticed', () =>
      signer.create([newOwner()]).then(
        () => undefined,
        ({ code }: { code: string }) => (code === 'keyBackendFailed' ? true : undefined),
      ),
    );
    await expect(signer.health()).rejects.toMatchObject({ code: 'keyBackendFailed' });
    renameSync(`${token.tokens}-away`, token.tokens);
    expect(isSignature(key.publicKey, MESSAGE, await signer.sign({ ...row, message: MESSAGE }))).toBe(true);
    await signer.create([newOwner()]);
    await signer.health();
    expect(child.restarts).toBe(0);
  },
);

tokenTest(
  'a signer that is killed over a token loses no request, and signs with the same keys',
  async (token) => {
    const { signer, child, row, key } = await startWithKey(token);
    const owners = Array.from({ length: 40 }, newOwner);
    const making = signer.create(owners);
    const signing = Array.from({ length: 20 }, () => signer.sign({ ...row, message: MESSAGE }));
    process.kill(child.pid ?? 0, 'SIGKILL');
    for (const signature of await Promise.all(signing))
      expect(isSignature(key.publicKey, MESSAGE, signature)).toBe(true);
    for (const [index, made] of (await making).entries()) {
      const signature = await signer.sign({ ...rowOf(owners[index] ?? newOwner(), made), message: MESSAGE });
      expect(isSignature(made.publicKey, MESSAGE, signature)).toBe(true);
    }
  },
);

tokenTest('a key whose row never came to be is destroyed by its name alone', async (token) => {
  const { signer, owner, row } = await startWithKey(token);
  await signer.destroy(owner);
  await signer.close();
  const cryptoki = await loadCryptoki(token.library);
  const opened = await openToken(cryptoki, {
    label: token.label,
    slot: undefined,
    sessions: 1,
    readPin: async () => token.pin,
  });
  const left = await opened.use(async (session) =>
    findObjects(cryptoki, session, [{ type: CK.attribute.id, value: keyIdOf(row) }]),
  );
  expect(left).toEqual([]);
  await opened.close();
});

tokenTest('the PIN comes from a file, which only the signer reads', async (token, directory) => {
  const pinFile = join(directory, 'pin');
  writeFileSync(pinFile, `${token.pin}\n`);
  const { signer, row } = await startWithKey(token, { pin: undefined, pin_file: pinFile });
  expect(await signer.sign({ ...row, message: MESSAGE })).toHaveLength(64);
});

tokenTest('a wrong PIN stops the start, and is not in what is told', async (token) => {
  const dataDir = newDataDir();
  const refused = await startTestSigner({ dataDir, hsm: hsmOf(token, { pin: '555333111' }) }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    code: 'tokenPinRefused',
    message: expect.stringContaining('refuses the PIN'),
  });
  expect(JSON.stringify(refused)).not.toContain('555333111');
});

tokenTest(
  'a token, a library or a PIN that is not there is told by its setting',
  async (token, directory) => {
    const startWith = (more: object) => startTestSigner({ hsm: hsmOf(token, more) });
    const cases = [
      [{ token: 'another' }, /no token is labelled "another"/],
      [
        { library: join(directory, 'none.so') },
        /hsm\.pkcs11\.library, KEYSLOT_PKCS11_LIBRARY\) does not load/,
      ],
      [{ pin: undefined, pin_file: join(directory, 'none') }, /hsm\.pkcs11\.pin_file .* does not exist/],
    ] as const;
    for (const [more, text] of cases) {
      await expect(startWith(more)).rejects.toMatchObject({
        code: 'signerNotStarted',
        message: expect.stringMatching(text),
      });
    }
  },
);

tokenTest('data that another kind of backend made is refused at start', async (token) => {
  const { signer, dataDir } = await startTestSigner();
  await signer.close();
  await expect(startTestSigner({ dataDir, hsm: hsmOf(token) })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringContaining('a format that hsm.kind pkcs11 does not write'),
  });
});
