import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../generated/config.ts';
import { headBytes } from '../../runtime/audit-bytes.ts';
import { isSignedBy } from '../../src/account/audit/audit-head.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { createMetrics } from '../../src/server/access/metrics.ts';
import { loadKeyEngine } from '../../src/core/keys/load-engine.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { type KeysOptions, startKeys } from '../../src/serve/start-keys.ts';
import { newOwner, rowOf } from '../signer/fixture/start-signer.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const log = pino({ level: 'silent' });

function configOf(env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ env: { KEYSLOT_DATA_DIR: directory(), KEYSLOT_KEY_THREADS: '1', ...env } });
}

async function start(options: Partial<KeysOptions> = {}) {
  const metrics = createMetrics();
  const keys = await startKeys({
    config: configOf(),
    ownsDirectory: Promise.resolve(),
    metrics,
    log,
    ...options,
  });
  onTestFinished(() => keys.close());
  return { keys, metrics };
}

test('the signer keeps keys, the pool makes keys, and both end with it', async () => {
  const { keys } = await start();
  const [key] = await keys.signer.create([newOwner()]);
  expect(key?.publicKey).toHaveLength(32);
  const job = { createdAt: new Date(0) };
  const { address } = await keys.pool.single(job, new AbortController().signal);
  expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  await keys.close();
  await expect(keys.signer.health()).rejects.toMatchObject({ code: 'signerUnavailable' });
  const late = keys.pool.single(job, new AbortController().signal);
  await expect(late).rejects.toMatchObject({ code: 'internalError' });
});

test('an engine that fails a known-answer test stops the start with its reason, and no signer is left', async () => {
  const loadEngine: KeysOptions['loadEngine'] = async (warn) => {
    const sound = await loadKeyEngine(warn);
    return { ...sound, sha512: () => new Uint8Array(64) };
  };
  await expect(start({ loadEngine })).rejects.toMatchObject({
    code: 'keyGenerationNotStarted',
    message: expect.stringContaining('known-answer test failed: SHA-512'),
  });
  await start();
});

test('a signer that cannot start stops the start with its reason', async () => {
  const config = configOf({ KEYSLOT_HSM_MASTER_KEY_FILE: join(directory(), 'none') });
  await expect(start({ config })).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringContaining('the file does not exist'),
  });
});

test('without the data directory no signer is started', async () => {
  const ownsDirectory = Promise.reject(serviceError('dataDirectoryLocked', { path: 'd', holder: 'another' }));
  await expect(start({ ownsDirectory })).rejects.toMatchObject({ code: 'dataDirectoryLocked' });
});

test('heads are signed with the signer’s own key', async () => {
  const { keys } = await start();
  const publicKey = await keys.signer.auditPublicKey();
  expect(await keys.headKey.publicKey()).toEqual(publicKey);
  const head = { accountId: 'acc_test', seq: 1, hash: new Uint8Array(32), atMs: 0 };
  const signature = await keys.headKey.signHead(headBytes(head));
  expect(isSignedBy({ ...head, publicKey, signature }, [publicKey])).toBe(true);
});

test('a signer that dies is told by readiness and metrics, and is ready again', async () => {
  let childPid = 0;
  const logged = pino({ level: 'debug' }, { write: (line) => (childPid ||= pidIn(line)) });
  const { keys, metrics } = await start({ log: logged });
  const { watched } = keys;
  const owner = newOwner();
  const [key] = await keys.signer.create([owner]);
  if (key === undefined) throw new Error('no key');
  expect([watched.backend, watched.child.state, await watched.probe()]).toEqual(['soft', 'ready', 'ready']);
  process.kill(childPid, 'SIGKILL');
  await eventually('its death is noticed', () => (watched.child.state === 'ready' ? undefined : true));
  expect(await metrics.registry.metrics()).toContain('keyslot_child_up{child="signer"} 0');
  await keys.signer.sign({ ...rowOf(owner, key), message: Buffer.from('a message') });
  expect([watched.child.state, watched.child.restarts]).toEqual(['ready', 1]);
  const text = await metrics.registry.metrics();
  expect(text).toContain('keyslot_child_up{child="signer"} 1');
  expect(text).toContain('keyslot_child_restarts{child="signer"} 1');
});

function pidIn(line: string): number {
  const { childPid = 0 } = JSON.parse(line) as { childPid?: number };
  return childPid;
}
