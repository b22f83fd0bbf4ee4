import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { takeBack } from '../store/take-back.ts';
import { newDatabase, startVault, type Vault } from './vault.ts';

/** A test starts several servers one after the other. */
vi.setConfig({ testTimeout: 600_000 });

const ADOPTED = 'the store now accepts this signer and its record';
/** The last migration before that of the signers. */
const MIGRATION = 7;

/** Makes of a server that is stopped what the version before left: entries behind a mark, and no table that knows signers. */
async function makeOld({ withStore, signerFile, server }: Vault): Promise<void> {
  const path = signerFile('tombstones');
  writeFileSync(path, Buffer.concat([Buffer.from('KSTOMB1\n'), readFileSync(path).subarray(4096)]));
  rmSync(join(server.dataDir, 'audit-heads.jsonl'));
  await withStore((store) =>
    store.transaction(async (tx) => {
      await takeBack(tx, MIGRATION);
      await tx.execute(sql`drop function refuse_change_of_tombstones`);
    }),
  );
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe.each(['embedded', 'PostgreSQL'] as const)('on a store that is %s', (kind) => {
  const databaseOf = (skip: (reason: string) => never) =>
    kind === 'embedded' ? undefined : newDatabase(skip);

  test('a directory of the version before is adopted at its first start, said once, and refused only afterwards', async ({
    skip,
  }) => {
    const vault = await startVault({ databaseUrl: await databaseOf(skip) });
    const { server } = vault;
    const [gone, live] = [await vault.make(), await vault.make()];
    await vault.destroy(gone);
    await server.stop();
    await makeOld(vault);
    const before = count(server.written(), ADOPTED);
    await server.start();
    await server.stop();
    await server.start();
    expect(count(server.written(), ADOPTED) - before).toBe(1);
    expect([await vault.sign(gone), await vault.sign(live)]).toEqual([404, 200]);
    await server.stop();
    const path = vault.signerFile('tombstones');
    truncateSync(path, readFileSync(path).length - 1);
    await expect(server.start()).rejects.toThrow('has 0 of the 1 destroyed keys');
  });

  test('where its signer is missing the first start is refused too, and makes none', async ({ skip }) => {
    const vault = await startVault({ databaseUrl: await databaseOf(skip) });
    await vault.make();
    await vault.server.stop();
    await makeOld(vault);
    const signer = join(vault.server.dataDir, 'signer');
    rmSync(signer, { recursive: true });
    await expect(vault.server.start()).rejects.toThrow("has no signer's files");
    expect(existsSync(signer)).toBe(false);
  });
});
