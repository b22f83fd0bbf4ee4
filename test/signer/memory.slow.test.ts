import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createNativeEngine } from '../../src/core/keys/native-engine.ts';
import { openOwnMasterKeys } from '../../src/signer/hsm/soft/own-master-keys.ts';
import { createSealer } from '../../src/signer/hsm/soft/open-configured-soft.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startNode } from '../support/node-process.ts';
import { formsOf, scanMemory } from './fixture/scan-memory.ts';
import { newDataDir } from './fixture/start-signer.ts';

const NOT_LINUX = 'the memory of another process is read from /proc, which only Linux has';

/** A gateway that made a wallet and signed with it fifty times; its signer; and the wallet's seed, unsealed here. */
async function startScanned() {
  const dataDir = newDataDir();
  const gateway = startNode(['test/signer/fixture/gateway.ts', dataDir], {});
  onTestFinished(() => gateway.stop());
  const line = await eventually('the gateway has signed', () => gateway.stdout().split('\n')[0] || undefined);
  const { signerPid, sealed, publicKey } = JSON.parse(line) as {
    signerPid: number;
    sealed: string;
    publicKey: string;
  };
  const masters = await openOwnMasterKeys(join(dataDir, 'signer'), { isFirstStart: false });
  const key = { walletId: 'w_scanned', accountId: 'acc_scanned', sealed: Buffer.from(sealed, 'hex') };
  const seed = createSealer().open(masters.keys(), key, (secret) => Buffer.from(secret));
  expect(Buffer.from(createNativeEngine().publicKey(seed)).toString('hex')).toBe(publicKey);
  return { dataDir, seed, publicKey: Buffer.from(publicKey, 'hex'), gatewayPid: gateway.pid, signerPid };
}

const none = (forms: Readonly<Record<string, Buffer>>) =>
  Object.fromEntries(Object.keys(forms).map((name) => [name, 0]));

test('a managed wallet’s seed is nowhere in the gateway’s memory, in no form; nor is the master key', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const { dataDir, seed, publicKey, gatewayPid, signerPid } = await startScanned();
  const master = readFileSync(join(dataDir, 'signer', 'master.key')).subarray(6, 38);
  // The scan finds what is there: the master key in the signer, the public key in the gateway.
  expect(scanMemory(signerPid, { master }).master).toBeGreaterThan(0);
  expect(scanMemory(gatewayPid, { publicKey }).publicKey).toBeGreaterThan(0);
  expect(scanMemory(gatewayPid, formsOf(seed))).toEqual(none(formsOf(seed)));
  expect(scanMemory(gatewayPid, formsOf(master))).toEqual(none(formsOf(master)));
});

test('the signer keeps no seed once it has signed', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const { seed, signerPid } = await startScanned();
  expect(scanMemory(signerPid, formsOf(seed))).toEqual(none(formsOf(seed)));
});

test('the scan finds every form that it looks for', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 73 + 41) % 256));
  const holder = startNode(['test/signer/fixture/hold-secret.ts', String(41), String(73)], {});
  onTestFinished(() => holder.stop());
  await eventually('the secret is held', () => (holder.stdout() === '' ? undefined : true));
  const found = scanMemory(holder.pid, formsOf(secret));
  expect(Object.entries(found).filter(([, count]) => count === 0)).toEqual([]);
});
