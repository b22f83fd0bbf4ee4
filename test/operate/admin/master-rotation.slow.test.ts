import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { eq, inArray } from '../../../src/store/drizzle.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import {
  createMasterRotation,
  type MasterRotationOptions,
} from '../../../src/operate/admin/master-rotation.ts';
import { rotateWithoutServer } from '../../../src/operate/admin/rotate-without-server.ts';
import type { Signer } from '../../../src/signer/signer.ts';
import { createSealedWork } from '../../../src/signer/sealed-work.ts';
import { wallets } from '../../../src/store/wallet-tables.ts';
import { newCustomer, NOW_MS } from '../../account/new-customer.ts';
import { newOwner, startTestSigner } from '../../signer/fixture/start-signer.ts';
import { describeStores } from '../../store/backends.ts';

const MESSAGE = Buffer.from('a message');
const log = pino({ level: 'silent' });
const settled = async (): Promise<void> => undefined;

/** The file of the signer's master key: how many are live is the byte behind the mark. */
const masterKeyFile = (dataDir: string): Buffer => readFileSync(join(dataDir, 'signer', 'master.key'));
const liveMasters = (dataDir: string): number | undefined => masterKeyFile(dataDir)[5];

describeStores('a change of the master key', (backend) => {
  const store = backend.shared();

  /** Wallets of a new account, made by the signer and stored as the wallet service does. */
  async function newWallets(signer: Signer, count: number): Promise<readonly string[]> {
    const accountId = await newCustomer(store());
    const owners = Array.from({ length: count }, () => ({ ...newOwner(), accountId }));
    const keys = await signer.create(owners);
    const rows = keys.map(({ publicKey, sealed, protection }, at) => ({
      id: owners[at]?.walletId ?? '',
      accountId,
      address: base58.encode(publicKey),
      publicKey,
      kind: 'single' as const,
      sealed,
      protection,
      createdAt: new Date(NOW_MS),
    }));
    await store().db.insert(wallets).values(rows);
    return rows.map(({ id }) => id);
  }

  const readRows = (ids: readonly string[]) =>
    store()
      .db.select()
      .from(wallets)
      .where(inArray(wallets.id, [...ids]));

  async function signAll(signer: Signer, ids: readonly string[]): Promise<number> {
    const rows = await readRows(ids);
    const signing = rows.map(({ id: walletId, accountId, sealed }) =>
      signer.sign({ walletId, accountId, sealed: sealed ?? new Uint8Array(), message: MESSAGE }),
    );
    return (await Promise.all(signing)).length;
  }

  /** A rotation over the test's own rows: those of other tests are sealed by other signers. */
  async function start(signer: Signer, change: Partial<MasterRotationOptions> = {}) {
    const options = { store: store(), signer, settled, previousMasterKeyFile: undefined, log };
    return createMasterRotation({ ...options, ...change });
  }

  test('seals every row again while wallets are made and destroyed, and forgets the old key', async () => {
    await store().db.delete(wallets);
    const { signer, dataDir } = await startTestSigner();
    const before = masterKeyFile(dataDir).subarray(6, 38);
    const ids = await newWallets(signer, 300);
    const old = await readRows(ids.slice(0, 1));
    const gone = ids.at(-1) ?? '';
    const late: string[] = [];
    // Destroyed and made in the middle of the first pass.
    const reseal: Signer['reseal'] = async (keys) => {
      const outcomes = await signer.reseal(keys);
      if (late.length === 0) {
        await store().db.delete(wallets).where(eq(wallets.id, gone));
        late.push(...(await newWallets(signer, 2)));
      }
      return outcomes;
    };
    const rotation = await start({ ...signer, reseal });
    const [result, same] = await Promise.all([rotation.run(), rotation.run()]);
    expect(result).toMatchObject({ wallets: 301, previous_master_key_file: null });
    expect(same).toBe(result);
    expect(await readRows([gone])).toEqual([]);
    expect(await signAll(signer, [...ids, ...late])).toBe(301);
    expect(liveMasters(dataDir)).toBe(1);
    expect(masterKeyFile(dataDir).includes(before)).toBe(false);
    const [row] = old;
    const copy = { walletId: row?.id ?? '', accountId: row?.accountId ?? '', sealed: row?.sealed ?? MESSAGE };
    const signing = signer.sign({ ...copy, message: MESSAGE });
    await expect(signing).rejects.toMatchObject({ code: 'keyBackendFailed' });
  });

  test('that the stop of a server broke off is continued by the next server; meanwhile every key opens', async () => {
    await store().db.delete(wallets);
    const first = await startTestSigner();
    const ids = await newWallets(first.signer, 1_100);
    let seals = 0;
    const reseal: Signer['reseal'] = async (keys) => {
      seals += 1;
      if (seals === 2) void rotation.close();
      return first.signer.reseal(keys);
    };
    const rotation = await start({ ...first.signer, reseal });
    const broken = rotation.run();
    await expect(broken).rejects.toMatchObject({
      code: 'rotationUnfinished',
      message: expect.stringContaining('the server is stopping'),
    });
    await expect(rotation.run()).rejects.toMatchObject({ code: 'rotationUnfinished' });
    expect([await signAll(first.signer, ids), liveMasters(first.dataDir)]).toEqual([1_100, 2]);
    await first.signer.close();

    const { signer } = await startTestSigner({ dataDir: first.dataDir });
    const { wallets: count, resealed } = await (await start(signer)).run();
    // Of the first server, one group of 128 was written.
    expect([count, resealed]).toEqual([1_100, 1_100 - 128]);
    expect([await signAll(signer, ids), liveMasters(first.dataDir)]).toEqual([1_100, 1]);
  });

  test('continues when the signer is killed in the middle', async () => {
    await store().db.delete(wallets);
    const { signer, child, dataDir } = await startTestSigner();
    const ids = await newWallets(signer, 300);
    let seals = 0;
    const reseal: Signer['reseal'] = async (keys) => {
      seals += 1;
      if (seals === 2) process.kill(child.pid ?? 0, 'SIGKILL');
      return signer.reseal(keys);
    };
    expect(await (await start({ ...signer, reseal })).run()).toMatchObject({ wallets: 300, resealed: 300 });
    expect([await signAll(signer, ids), liveMasters(dataDir), child.restarts]).toEqual([300, 1, 1]);
  });

  test('waits for work that holds sealed keys, and leaves both master keys live where that does not end', async () => {
    await store().db.delete(wallets);
    const { signer, dataDir } = await startTestSigner();
    const ids = await newWallets(signer, 3);
    const work = createSealedWork();
    const end = work.begin();
    const impatient = await start(signer, { settled: work.settled, settleMs: 1 });
    await expect(impatient.run()).rejects.toMatchObject({
      code: 'rotationUnfinished',
      message: expect.stringContaining('have not finished'),
    });
    expect(liveMasters(dataDir)).toBe(2);
    const installation = (await start(signer, { settled: work.settled })).run();
    end();
    expect(await installation).toMatchObject({ wallets: 3 });
    expect([await signAll(signer, ids), liveMasters(dataDir)]).toEqual([3, 1]);
  });

  test('where no server runs it is done with a signer of its own, which is gone after', async () => {
    await store().db.delete(wallets);
    const first = await startTestSigner();
    const ids = await newWallets(first.signer, 5);
    await first.signer.close();
    const hsm = { kind: 'soft' as const, soft: {} };
    const result = await rotateWithoutServer({ store: store(), dataDir: first.dataDir, hsm, log });
    expect(result).toEqual({ wallets: 5, resealed: 5, previous_master_key_file: null });
    const { signer } = await startTestSigner({ dataDir: first.dataDir });
    expect([await signAll(signer, ids), liveMasters(first.dataDir)]).toEqual([5, 1]);
  });

  test('to a credential file is finished by the operator; the result names the file', async () => {
    await store().db.delete(wallets);
    const { signer } = await startTestSigner();
    const rotation = await start(signer, { previousMasterKeyFile: '/run/old.key' });
    expect(await rotation.run()).toEqual({
      wallets: 0,
      resealed: 0,
      previous_master_key_file: '/run/old.key',
    });
  });
});
