import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eq } from '../../src/store/drizzle.ts';
import { createNativeEngine } from '../../src/core/keys/native-engine.ts';
import { openOwnMasterKeys } from '../../src/signer/hsm/soft/own-master-keys.ts';
import { createSealer } from '../../src/signer/hsm/soft/open-configured-soft.ts';
import { openStore } from '../../src/store/open-store.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { formsOf, scanMemory } from '../signer/fixture/scan-memory.ts';
import { isSignature } from './kill/is-signature.ts';
import type { WalletServer } from './open-wallet-server.ts';
import { signerPidOf } from '../lab/gateways/signer-pid.ts';
import { startWalletServer } from './wallet-server.ts';

const NOT_LINUX = 'the memory of another process is read from /proc, which only Linux has';
const SIGNS = 20;

type Made = { readonly wallet_id: string; readonly address: string };

/** The row of a wallet, from a copy of the store that is made while the server stands still. */
async function readRow(server: WalletServer, id: string): Promise<typeof wallets.$inferSelect> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-copy-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  process.kill(server.pid(), 'SIGSTOP');
  await cp(join(server.dataDir, 'store'), join(dataDir, 'store'), { recursive: true });
  process.kill(server.pid(), 'SIGCONT');
  const store = await openStore({ dataDir }, pino({ level: 'silent' }));
  const [row] = await store.db.select().from(wallets).where(eq(wallets.id, id));
  await store.close();
  if (row === undefined) throw new Error('the copy lacks the wallet');
  return row;
}

/** The seed of a wallet, unsealed here as only the signer does it. */
async function unseal(server: WalletServer, id: string): Promise<Buffer> {
  const { accountId, sealed, publicKey } = await readRow(server, id);
  const masters = await openOwnMasterKeys(join(server.dataDir, 'signer'), { isFirstStart: false });
  const key = { walletId: id, accountId, sealed: sealed ?? Buffer.alloc(0) };
  const seed = createSealer().open(masters.keys(), key, (secret) => Buffer.from(secret.subarray(0, 32)));
  expect(Buffer.from(createNativeEngine().publicKey(seed))).toEqual(Buffer.from(publicKey));
  return seed;
}

async function sign(server: WalletServer, { wallet_id, address }: Made): Promise<void> {
  for (let turn = 0; turn < SIGNS; turn += 1) {
    const message = Buffer.from(`message ${turn}`);
    const body = { message: message.toString('base64'), encoding: 'base64' };
    const { signature } = (await (await server.send(`/${wallet_id}/sign`, body)).json()) as {
      signature: string;
    };
    expect(isSignature(address, message, signature)).toBe(true);
  }
}

const none = (forms: Readonly<Record<string, Buffer>>) =>
  Object.fromEntries(Object.keys(forms).map((name) => [name, 0]));

test('of managed wallets that are made, derived and sign, no key is in the gateway’s memory, in no form', async (context) => {
  if (process.platform !== 'linux') return context.skip(NOT_LINUX);
  const server = await startWalletServer();
  const label = randomBytes(16).toString('hex');
  const single = (await (await server.send('', { custody: 'managed', label })).json()) as Made;
  const tree = (await (await server.send('/hd', { custody: 'managed' })).json()) as {
    readonly master: Made;
    readonly wallets: readonly Made[];
  };
  const used = [single, tree.master, ...tree.wallets];
  for (const wallet of [single, ...tree.wallets]) await sign(server, wallet);
  const seeds = await Promise.resolve(used).then(async (all) => {
    const found: Buffer[] = [];
    for (const { wallet_id } of all) found.push(await unseal(server, wallet_id));
    return found;
  });
  for (const wallet of [single, ...tree.wallets]) await sign(server, wallet);
  expect(await (await server.send(`/${single.wallet_id}`)).json()).toMatchObject({ label });

  const master = (await readFile(join(server.dataDir, 'signer', 'master.key'))).subarray(6, 38);
  const planted = { label: Buffer.from(label), publicKey: Buffer.from(base58.decode(single.address)) };
  // The scan finds values that are there: the master key in the signer, a label and a public key in the gateway.
  expect(scanMemory(signerPidOf(server.pid()), { master }).master).toBeGreaterThan(0);
  const patterns = Object.fromEntries(
    [...seeds, master].flatMap((secret, at) =>
      Object.entries(formsOf(secret)).map(([form, bytes]) => [`${at}: ${form}`, bytes]),
    ),
  );
  const { label: labels, publicKey, ...found } = scanMemory(server.pid(), { ...patterns, ...planted });
  expect([labels, publicKey].filter((times) => (times ?? 0) === 0)).toEqual([]);
  expect(found).toEqual(none(patterns));
});
