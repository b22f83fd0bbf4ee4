import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { newDatabase, startVault } from './vault.ts';

/** A test starts several servers one after the other. */
vi.setConfig({ testTimeout: 600_000 });

const directory = useNewDirectory();

describe.each(['embedded', 'PostgreSQL'] as const)('on a store that is %s', (kind) => {
  const databaseOf = (skip: (reason: string) => never) =>
    kind === 'embedded' ? undefined : newDatabase(skip);

  test('a missing signer directory is refused and not replaced, until the operator adopts a new signer', async ({
    skip,
  }) => {
    const vault = await startVault({ databaseUrl: await databaseOf(skip) });
    const { server } = vault;
    const [gone, live] = [await vault.make(), await vault.make()];
    await vault.destroy(gone);
    const refused = await vault.run('signer', 'adopt');
    expect([refused.code, refused.text]).toEqual([2, expect.stringContaining('stop it first')]);
    await server.stop();
    const [signer, aside] = [join(server.dataDir, 'signer'), join(directory(), 'signer')];
    renameSync(signer, aside);
    await expect(server.start()).rejects.toThrow(
      /has no signer's files.*restore the directory.*signer adopt/,
    );
    expect(existsSync(signer)).toBe(false);
    renameSync(aside, signer);
    await server.start();
    expect(await vault.sign(live)).toBe(200);
    await server.stop();

    const masterKey = readFileSync(vault.signerFile('master.key'));
    rmSync(signer, { recursive: true });
    const { code, text } = await vault.run('signer', 'adopt');
    expect([code, text]).toEqual([0, expect.stringContaining('1 destroyed keys, 1 of them from the store')]);
    await server.start();
    expect([await vault.sign(live), await vault.sign(gone)]).toEqual([503, 404]);
    expect(await vault.sign(await vault.make())).toBe(200);
    await server.stop();

    // With the master key from a backup the wallets open.
    rmSync(signer, { recursive: true });
    mkdirSync(signer, { mode: 0o700 });
    writeFileSync(join(signer, 'master.key'), masterKey, { mode: 0o600 });
    expect((await vault.run('signer', 'adopt')).code).toBe(0);
    await server.start();
    expect([await vault.sign(live), await vault.sign(gone)]).toEqual([200, 404]);
  });

  test('the directory of another signer is refused, and named', async ({ skip }) => {
    const vault = await startVault({ databaseUrl: await databaseOf(skip) });
    const other = await startVault();
    await vault.make();
    await Promise.all([vault.server.stop(), other.server.stop()]);
    const key = readFileSync(other.signerFile('audit.key')).toString('hex', 24, 32);
    rmSync(join(vault.server.dataDir, 'signer'), { recursive: true });
    renameSync(join(other.server.dataDir, 'signer'), join(vault.server.dataDir, 'signer'));
    await expect(vault.server.start()).rejects.toThrow(
      new RegExp(`and that of this data directory is ${key}.*signer adopt`),
    );
  });
});
