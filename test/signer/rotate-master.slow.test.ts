import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SealedKey } from '../../src/signer/hsm/hsm.ts';
import { type ResealedRow, rotateMaster } from '../../src/signer/rotate-master.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { newOwner, rowOf, startTestSigner } from './fixture/start-signer.ts';

const MESSAGE = Buffer.from('a message');
const ROWS = 300;

/** The store's rows of a number of wallets, as the account side gives them. */
async function newRows(signer: Signer, count = ROWS) {
  const owners = Array.from({ length: count }, newOwner);
  const keys = await signer.create(owners);
  const rows = new Map<string, SealedKey>();
  for (const [index, key] of keys.entries()) {
    const owner = owners[index] ?? newOwner();
    rows.set(owner.walletId, rowOf(owner, key));
  }
  return rows;
}

const placeOf = (signer: Signer, rows: Map<string, SealedKey>) => ({
  signer,
  rows: async function* () {
    yield* [...rows.values()];
  },
  write: async (changes: readonly ResealedRow[]) => {
    for (const { was, ...row } of changes) {
      if (rows.get(row.walletId)?.sealed === was) rows.set(row.walletId, row);
    }
  },
  settled: async () => undefined,
});

const signAll = (signer: Signer, rows: Map<string, SealedKey>) =>
  Promise.all([...rows.values()].map((row) => signer.sign({ ...row, message: MESSAGE })));

/** The number of live master keys: the byte behind the mark. */
const liveMasters = (dataDir: string) => readFileSync(join(dataDir, 'signer', 'master.key'))[5];

test('after a rotation every row opens, and no copy from before it', async () => {
  const { signer, dataDir } = await startTestSigner();
  const rows = await newRows(signer);
  const before = new Map(rows);
  const signatures = await signAll(signer, rows);
  expect(await rotateMaster(placeOf(signer, rows))).toEqual({ seen: ROWS, resealed: ROWS });
  expect(await signAll(signer, rows)).toEqual(signatures);
  expect(liveMasters(dataDir)).toBe(1);
  for (const row of [...before.values()].slice(0, 3)) {
    await expect(signer.sign({ ...row, message: MESSAGE })).rejects.toMatchObject({
      code: 'keyBackendFailed',
    });
  }
});

test('the signer’s own key is sealed again too, and opens after a restart', async () => {
  const first = await startTestSigner();
  const publicKey = await first.signer.auditPublicKey();
  await rotateMaster(placeOf(first.signer, new Map()));
  await first.signer.close();
  const { signer } = await startTestSigner({ dataDir: first.dataDir });
  expect(await signer.auditPublicKey()).toEqual(publicKey);
});

test('a rotation that was killed in between is continued; meanwhile every row opens', async () => {
  const first = await startTestSigner();
  const rows = await newRows(first.signer);
  const place = placeOf(first.signer, rows);
  let writes = 0;
  const dies = {
    ...place,
    write: async (changes: readonly ResealedRow[]) => {
      writes += 1;
      if (writes === 2) throw new Error('killed');
      await place.write(changes);
    },
  };
  await expect(rotateMaster(dies)).rejects.toThrow('killed');
  process.kill(first.child.pid ?? 0, 'SIGKILL');
  await signAll(first.signer, rows);
  await first.signer.close();
  expect(liveMasters(first.dataDir)).toBe(2);
  const { signer } = await startTestSigner({ dataDir: first.dataDir });
  const { resealed } = await rotateMaster(placeOf(signer, rows));
  expect(resealed).toBe(ROWS - 128);
  expect(liveMasters(first.dataDir)).toBe(1);
  await signAll(signer, rows);
});

test('a signer that is killed while it seals again loses nothing', async () => {
  const { signer, child, dataDir } = await startTestSigner();
  const rows = await newRows(signer);
  let kills = 0;
  const onProgress = (): void => {
    if (kills === 0) process.kill(child.pid ?? 0, 'SIGKILL');
    kills += 1;
  };
  await rotateMaster({ ...placeOf(signer, rows), onProgress });
  expect([child.restarts, liveMasters(dataDir)]).toEqual([1, 1]);
  await signAll(signer, rows);
});

test('a row that was sealed before the rotation and committed late is sealed again before the old key goes', async () => {
  const { signer } = await startTestSigner();
  const rows = await newRows(signer, 3);
  const late = await newRows(signer, 1);
  const settled = async (): Promise<void> => {
    for (const [id, row] of late) rows.set(id, row);
    late.clear();
  };
  await rotateMaster({ ...placeOf(signer, rows), settled });
  expect(await signAll(signer, rows)).toHaveLength(4);
});

test('the old key is kept until nobody holds what was read before the last pass', async () => {
  const { signer, dataDir } = await startTestSigner();
  const rows = await newRows(signer, 3);
  const held = [...rows.values()];
  const live: (number | undefined)[] = [];
  const settled = async (): Promise<void> => {
    live.push(liveMasters(dataDir));
    for (const row of held) await signer.sign({ ...row, message: MESSAGE });
  };
  await rotateMaster({ ...placeOf(signer, rows), settled });
  expect([live, liveMasters(dataDir)]).toEqual([[2, 2], 1]);
});

test('a destroyed wallet that a restored store still has is passed over', async () => {
  const { signer, dataDir } = await startTestSigner();
  const rows = await newRows(signer, 2);
  const [gone] = [...rows.values()];
  if (gone === undefined) throw new Error('no row');
  await signer.destroy(gone);
  expect(await rotateMaster(placeOf(signer, rows))).toEqual({ seen: 2, resealed: 1 });
  expect(liveMasters(dataDir)).toBe(1);
});

test('a row that does not open stops the rotation, and both master keys stay', async () => {
  const { signer, dataDir } = await startTestSigner();
  const rows = await newRows(signer, 2);
  const [row] = [...rows.values()];
  if (row === undefined) throw new Error('no row');
  const changed = Buffer.from(row.sealed);
  changed.writeUInt8((changed[50] ?? 0) ^ 1, 50);
  rows.set(row.walletId, { ...row, sealed: changed });
  await expect(rotateMaster(placeOf(signer, rows))).rejects.toMatchObject({ code: 'keyBackendFailed' });
  expect(liveMasters(dataDir)).toBe(2);
});
