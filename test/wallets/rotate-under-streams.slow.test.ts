import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asc, count, eq } from '../../src/store/drizzle.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createMasterRotation } from '../../src/operate/admin/master-rotation.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { SILENT } from '../store/backends.ts';
import { readFirst, readLines, settled } from './streams/read-lines.ts';
import { startUnixService, type UnixService } from './streams/unix-service.ts';

const COUNT = 10_000;
/** Far less than a reader that has stopped would take. */
const SETTLE_MS = 10_000;
const TREE = { custody: 'managed', accounts: { start: 0, count: COUNT }, format: 'jsonl' };

async function start(): Promise<UnixService & { readonly liveMasters: () => number | undefined }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-rotation-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startUnixService({ dataDir });
  // The byte behind the mark of the file is the number of live ones.
  return { ...service, liveMasters: () => readFileSync(join(dataDir, 'signer', 'master.key'))[5] };
}

async function storedWallets({ store }: UnixService): Promise<number> {
  const [found] = await store.db.select({ there: count() }).from(wallets);
  return found?.there ?? 0;
}

function rotate({ store, keys }: UnixService) {
  const { signer, sealedWork } = keys;
  return createMasterRotation({
    store,
    signer,
    settled: sealedWork.settled,
    settleMs: SETTLE_MS,
    previousMasterKeyFile: undefined,
    log: SILENT,
  }).run();
}

test.each([
  ['batch', '/batch', { count: COUNT, custody: 'managed' }, COUNT],
  ['tree', '/hd', TREE, COUNT + 1],
])(
  'the master key changes while nobody reads a %s; what is made after it opens too',
  async (_what, path, body, lines) => {
    const service = await start();
    const answer = await service.post(path, body);
    const first = await readFirst(answer);
    expect(await settled(() => storedWallets(service))).toBeLessThan(lines);
    await rotate(service);
    expect(service.liveMasters()).toBe(1);
    const rest = await readLines(answer);
    expect(rest.isWhole).toBe(true);
    expect(first.split('\n').length - 1 + rest.lines.length).toBe(lines);
    const rows = await service.store.db.select().from(wallets).orderBy(asc(wallets.createdAt));
    expect(rows).toHaveLength(lines);
    // Some of each group that was made together.
    for (const { id: walletId, accountId, sealed } of rows.filter((_row, at) => at % 16 === 0)) {
      const key = { walletId, accountId, sealed: sealed ?? new Uint8Array() };
      expect(await service.keys.signer.sign({ ...key, message: Buffer.from('a message') })).toHaveLength(64);
    }
  },
);

test('a tree whose master is destroyed while nobody reads is broken off, and nothing more is derived', async () => {
  const service = await start();
  const { store, keys } = service;
  const answer = await service.post('/hd', TREE);
  await readFirst(answer);
  // A signer that stands still has not stopped.
  const made = await settled(async () => {
    await keys.signer.health();
    return storedWallets(service);
  });
  const isMaster = eq(wallets.kind, 'master');
  const [master] = await store.db.delete(wallets).where(isMaster).returning();
  if (master === undefined) throw new Error('no master');
  await keys.signer.destroy({ walletId: master.id, accountId: master.accountId });
  expect(await readLines(answer)).toMatchObject({ isWhole: false });
  expect(await storedWallets(service)).toBe(made - 1);
});
