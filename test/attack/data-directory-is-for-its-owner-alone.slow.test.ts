import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { startNode } from '../support/node-process.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { allowTraversal, NOBODY, NOT_ROOT, runAs } from '../support/run-as.ts';
import { startTestSigner } from '../signer/fixture/start-signer.ts';

const directory = useNewDirectory();
const log = pino({ level: 'silent' });
const isRoot = process.geteuid?.() === 0;

/** Every entry of a directory that others may do something with. */
function openEntries(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const below = found.isDirectory() ? readdirSync(path).flatMap((name) => openEntries(join(path, name))) : [];
  return (found.mode & 0o077) === 0 ? below : [`${path} ${(found.mode & 0o777).toString(8)}`, ...below];
}

/** As the embedded database left it, in a directory that an administrator made. */
function openToAll(path: string): void {
  const isDirectory = lstatSync(path).isDirectory();
  chmodSync(path, isDirectory ? 0o755 : 0o666);
  if (isDirectory) for (const name of readdirSync(path)) openToAll(join(path, name));
}

async function openAndClose(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir }, log);
  await store.close();
}

describe('a data directory that was open to others', () => {
  test('is its owner’s alone once the server serves, and so is what the server makes', async () => {
    prepareStore(directory());
    mkdirSync(join(directory(), 'kept by hand'));
    writeFileSync(join(directory(), 'kept by hand', 'notes'), '');
    openToAll(directory());
    const server = startNode(['src/main.ts', 'serve', '--json', '--upstream-url', 'http://127.0.0.1:9'], {
      KEYSLOT_DATA_DIR: directory(),
      KEYSLOT_HTTP_PORT: '0',
      KEYSLOT_GRPC_PORT: '0',
    });
    onTestFinished(() => server.stop());
    await eventually('it serves', () => {
      if (server.ended() !== undefined) throw new Error(server.stderr());
      return server.stdout().includes('\n') || undefined;
    });
    expect(openEntries(directory())).toEqual([]);
    expect(readdirSync(directory())).toEqual(expect.arrayContaining(['admin.sock', 'dev.json', 'signer']));
    expect(server.stderr()).toContain('removed the access of other users to the data directory');
  });

  test('cannot be read by another user, log and control file least of all', async (context) => {
    if (!isRoot) return context.skip(NOT_ROOT);
    allowTraversal();
    prepareStore(directory());
    openToAll(directory());
    const control = join(directory(), 'store', 'global', 'pg_control');
    const read = `require('node:fs').readFileSync(${JSON.stringify(control)})`;
    expect(runAs(NOBODY, ['-e', read]).code).toBe(0);
    await openAndClose(directory());
    expect(runAs(NOBODY, ['-e', read])).toMatchObject({ code: 1, error: expect.stringContaining('EACCES') });
  });

  test('has the signer’s part closed too', async () => {
    const dataDir = join(directory(), 'data');
    await startTestSigner({ dataDir }).then(({ signer }) => signer.close());
    for (const name of ['', 'tombstones', 'audit.key']) {
      chmodSync(join(dataDir, 'signer', name), name === '' ? 0o755 : 0o666);
    }
    await startTestSigner({ dataDir });
    expect(openEntries(join(dataDir, 'signer'))).toEqual([]);
  });

  test('is closed where the rows are in PostgreSQL', async () => {
    writeFileSync(join(directory(), 'installation.key'), '');
    openToAll(directory());
    const databaseUrl = 'postgres://127.0.0.1:9/nobody';
    await expect(openStore({ dataDir: directory(), databaseUrl }, log)).rejects.toMatchObject({
      code: 'storeUnavailable',
    });
    expect(openEntries(directory())).toEqual([]);
  });
});

test('what the embedded database makes is its owner’s alone, whatever the umask', async () => {
  const dataDir = join(directory(), 'data');
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const store = await openStore({ dataDir }, log);
  await store.db.execute('create table kept (n int)');
  await store.db.execute('checkpoint');
  expect(openEntries(dataDir)).toEqual([]);
  await store.close();
  expect(openEntries(dataDir)).toEqual([]);
});

describe('what stays open is refused, with its path, mode and owner:', () => {
  test('a symbolic link', async () => {
    mkdirSync(join(directory(), 'elsewhere'), { mode: 0o755 });
    chmodSync(join(directory(), 'elsewhere'), 0o755);
    const dataDir = join(directory(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    symlinkSync(join(directory(), 'elsewhere'), join(dataDir, 'store'));
    const refused = await openStore({ dataDir }, log).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'dataDirectoryNotPrivate' });
    expect(String(refused)).toContain(
      `${join(dataDir, 'store')} (mode 0777, owner ${process.geteuid?.()}) cannot be made private: it is a symbolic link`,
    );
    expect(lstatSync(join(directory(), 'elsewhere')).mode & 0o777).toBe(0o755);
  });

  test('a file of another user', async (context) => {
    if (!isRoot) return context.skip(NOT_ROOT);
    prepareStore(directory());
    const file = join(directory(), 'store', 'PG_VERSION');
    chmodSync(file, 0o640);
    chownSync(file, NOBODY, NOBODY);
    const refused = await openStore({ dataDir: directory() }, log).catch((error: unknown) => error);
    expect(String(refused)).toContain(`${file} (mode 0640, owner ${NOBODY})`);
    expect(String(refused)).toContain('it belongs to another user');
    expect(String(refused)).toContain('The server runs as user 0');
    chownSync(file, 0, 0);
    await openAndClose(directory());
  });

  test('a file whose mode this user may not change', async (context) => {
    if (!isRoot) return context.skip(NOT_ROOT);
    allowTraversal();
    const script = `import { makePrivate } from ${JSON.stringify(join(process.cwd(), 'src/store/make-private.ts'))};
      makePrivate(${JSON.stringify(directory())});`;
    execFileSync('chown', ['-R', String(NOBODY), directory()]);
    const file = join(directory(), 'of-root');
    writeFileSync(file, '');
    chmodSync(file, 0o600);
    expect(runAs(NOBODY, ['--input-type=module', '-e', script])).toMatchObject({ code: 0 });
    chmodSync(file, 0o644);
    const refused = runAs(NOBODY, ['--input-type=module', '-e', script]);
    expect(refused.code).toBe(1);
    expect(refused.error).toContain(`${file} (mode 0644, owner 0) cannot be made private: EPERM`);
  });
});
