import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { type Outcome, useCommands } from '../../cli/use-commands.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { allowTraversal, NOBODY, runAs } from '../../support/run-as.ts';
import { mountSmallDisk, SMALL_DISK_MISSING, type SmallDisk } from '../../support/small-disk.ts';
import { schemasOf } from './schemas-of.ts';

/** A test restores a store. */

const probe = mountSmallDisk(1);
probe?.unmount();

describe.skipIf(probe === undefined)(`a disk that is the data directory (${SMALL_DISK_MISSING})`, () => {
  const { directory, run, json } = useCommands('group');
  const outside = useNewDirectory('group');
  const at = (name: string): string => join(outside(), name);

  const newDisk = (): SmallDisk => {
    const disk = mountSmallDisk(512);
    if (disk === undefined) throw new Error(SMALL_DISK_MISSING);
    onTestFinished(disk.unmount);
    return disk;
  };
  const restoreTo = async (
    place: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Pick<Outcome, 'end' | 'stderr'>> => {
    const error: string[] = [];
    const args = ['restore', at('a.age'), '--key', at('key.txt'), '--data-dir', place, '--json'];
    const code = await runCommandLine(args, {
      env,
      writeOut: () => undefined,
      writeError: (text) => void error.push(text),
    });
    return { end: `exit code ${code}`, stderr: error.join('') };
  };

  beforeAll(async () => {
    await json('keys', 'create', '--name', 'web', '--account', 'acme');
    writeFileSync(join(directory(), 'dev.json'), '{}', { mode: 0o600 });
    const { recipient } = await json<{ recipient: string }>('backup', 'key', at('key.txt'));
    await json('backup', 'create', at('a.age'), '--recipient', recipient);
  });

  test('is restored into', async () => {
    const { path } = newDisk();
    expect(statSync(path).dev).not.toBe(statSync(dirname(path)).dev);
    expect(await restoreTo(path)).toEqual({ end: 'exit code 0', stderr: '' });
    expect(readdirSync(path).sort()).toEqual(['dev.json', 'store']);
    expect(existsSync(`${path}.restoring`)).toBe(false);
    const { end, stdout } = await run('keys', 'list', '--data-dir', path);
    expect([end, stdout]).toEqual(['exit code 0', expect.stringContaining('web')]);
  });

  test('is restored into by a user who can write to nothing else, as in a container', async () => {
    const { path } = newDisk();
    execFileSync('chown', [`${NOBODY}:${NOBODY}`, path]);
    allowTraversal();
    chmodSync(outside(), 0o711);
    for (const name of ['a.age', 'key.txt']) chmodSync(at(name), 0o644);
    const main = join(process.cwd(), 'src/main.ts');
    const args = [main, 'restore', at('a.age'), '--key', at('key.txt'), '--data-dir', path];
    const { code, error } = runAs(NOBODY, args);
    expect([code, error]).toEqual([0, '']);
    expect(readdirSync(path).sort()).toEqual(['dev.json', 'store']);
    expect(statSync(join(path, 'dev.json')).uid).toBe(NOBODY);
  });

  describe('with a PostgreSQL', () => {
    const newDatabase = async (
      found: string,
    ): Promise<Readonly<Record<string, string>> & { url: string }> => {
      const { url, drop } = await createDatabase(found);
      onTestFinished(drop);
      return { url, KEYSLOT_DATABASE_URL: url };
    };

    test('is restored into', async (context) => {
      const found = await findPostgres();
      if (found === undefined) return context.skip(POSTGRES_MISSING);
      const { url, ...env } = await newDatabase(found);
      const { path } = newDisk();
      expect(await restoreTo(path, env)).toEqual({ end: 'exit code 0', stderr: '' });
      expect(await schemasOf(url)).toEqual(['keyslot']);
      expect(readdirSync(path)).toEqual(['dev.json']);
    });

    test('that cannot be written is refused in one line, and leaves the database as it is', async (context) => {
      const found = await findPostgres();
      if (found === undefined) return context.skip(POSTGRES_MISSING);
      const { url, ...env } = await newDatabase(found);
      const { path } = newDisk();
      execFileSync('mount', ['-o', 'remount,ro', path]);
      // Nothing is read before: it is no backup.
      const real = readFileSync(at('a.age'));
      writeFileSync(at('a.age'), 'no backup');
      onTestFinished(() => writeFileSync(at('a.age'), real));
      for (const [place, reason] of [
        [path, `${path}: user 0 cannot write to it`],
        [join(path, 'data'), `user 0 cannot create it in ${path}: create it, empty and owned by the user`],
      ] as const) {
        const { end, stderr } = await restoreTo(place, env);
        expect(end).toBe('exit code 1');
        expect(stderr).toContain(reason);
        expect(stderr.trimEnd()).toMatch(/^keyslot: [^\n]*EROFS[^\n]*$/);
      }
      expect(await schemasOf(url)).toEqual([]);
    });
  });
});
