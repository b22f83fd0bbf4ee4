import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { newDatabase, startVault } from './vault.ts';

/** A test starts several servers one after the other. */
vi.setConfig({ testTimeout: 600_000 });

const directory = useNewDirectory();
const ONE_ENTRY = 4096 + 20;

describe.each(['embedded', 'PostgreSQL'] as const)('on a store that is %s', (kind) => {
  const databaseOf = (skip: (reason: string) => never) =>
    kind === 'embedded' ? undefined : newDatabase(skip);

  test('an older store and a record whose end is cut off do not revive a wallet', async ({ skip }) => {
    const vault = await startVault({ databaseUrl: await databaseOf(skip) });
    const { server } = vault;
    const [gone, live] = [await vault.make(), await vault.make()];
    await server.stop();
    const restoreStore = await vault.backUpStore();
    await server.start();
    await vault.destroy(gone);
    await server.stop();
    const path = vault.signerFile('tombstones');
    const whole = readFileSync(path);
    restoreStore();
    truncateSync(path, whole.length - 1);
    await expect(server.start()).rejects.toThrow(/has 0 of the 1 destroyed keys.*restore the directory/);
    // Whole again, with what a crash leaves that came before an acknowledgement.
    writeFileSync(path, Buffer.concat([whole, Buffer.from('torn')]));
    await server.start();
    expect(server.written()).toContain(
      'removed an incomplete entry left by a crash; it was never acknowledged',
    );
    expect([await vault.sign(gone), await vault.sign(live)]).toEqual([404, 200]);
    expect(statSync(path).size).toBe(ONE_ENTRY);
  });

  test('an older copy of the store and of the signer together do not, where the file of heads is elsewhere', async ({
    skip,
  }) => {
    const env = { KEYSLOT_AUDIT_HEADS_FILE: join(directory(), 'heads.jsonl') };
    const vault = await startVault({ databaseUrl: await databaseOf(skip), env });
    const { server } = vault;
    const gone = await vault.make();
    await server.stop();
    const restore = [await vault.backUpStore(), await vault.backUp('signer')];
    await server.start();
    await vault.destroy(gone);
    // Not even the last moment is lost: it was written down before the answer.
    await server.kill();
    for (const one of restore) one();
    await expect(server.start()).rejects.toThrow(/has 0 destroyed keys, but the file of heads lists 1/);
    // The operator has nothing newer and says so: wallets that nobody knows to be destroyed are not.
    const { code, text } = await vault.run('signer', 'adopt');
    expect([code, text]).toEqual([0, expect.stringContaining('Its record has 0 destroyed keys')]);
    await server.start();
    expect(await vault.sign(gone)).toBe(200);
  });
});

test('an older data directory of a server on PostgreSQL does not revive a wallet', async ({ skip }) => {
  const vault = await startVault({ databaseUrl: await newDatabase(skip) });
  const { server } = vault;
  const gone = await vault.make();
  await server.stop();
  const restore = await vault.backUp('.');
  await server.start();
  await vault.destroy(gone);
  await server.stop();
  restore();
  await expect(server.start()).rejects.toThrow(/has 0 destroyed keys, but the store lists 1/);
});

test('a missing record is refused', async () => {
  const vault = await startVault();
  await vault.make();
  await vault.server.stop();
  rmSync(vault.signerFile('tombstones'));
  await expect(vault.server.start()).rejects.toThrow(/which records the destroyed keys, is missing: restore/);
});
