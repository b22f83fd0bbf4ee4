import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { encryptTo, readIdentities } from '../../../src/operate/backup/age-file.ts';
import { type BackupLine, LineCounter, printLine } from '../../../src/operate/backup/backup-line.ts';
import { createBackup } from '../../../src/operate/backup/create-backup.ts';
import { readLines } from '../../../src/operate/backup/read-lines.ts';
import type { BackupVerdict } from '../../../src/operate/backup/verify-backup.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { useCommands } from '../../cli/use-commands.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import { createManaged } from './served.ts';

/** A test starts several processes one after the other. */

const { directory, start, run, json, newNode, serve } = useCommands('group');
const outside = useNewDirectory('group');
const at = (name: string): string => join(outside(), name);

let recipient = '';
const create = (file: string): string[] => ['backup', 'create', file, '--recipient', recipient];
const verify = (file: string) => json<BackupVerdict>('backup', 'verify', file, '--key', at('key.txt'));
const restoreTo = (file: string, place: string): string[] => [
  ...['restore', file, '--key', at('key.txt'), '--data-dir', place],
];

beforeAll(async () => {
  ({ recipient } = await json<{ recipient: string }>('backup', 'key', at('key.txt')));
  const node = await newNode();
  await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  await createManaged(directory(), 200);
});

/** A process, and whether it has come so far that it may be killed. */
type Begun = { readonly child: NodeProcess; readonly isThere: () => boolean };
const TRIES = 10;

/**
 * Kills a process with SIGKILL once something is there. If the process is over before that is seen, another one is begun.
 * @param begin starts a process in a place of its own, by the number of the try.
 * @returns the number of the try whose process was killed.
 */
async function killOnce(what: string, begin: (tries: number) => Begun): Promise<number> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { child, isThere } = begin(tries);
    const look = () => isThere() || child.ended() !== undefined || undefined;
    await eventually(what, look, { intervalMs: 1 });
    if (child.ended() === undefined) process.kill(child.pid, 'SIGKILL');
    const end = await eventually('it has ended', child.ended);
    if (end === 'signal SIGKILL') return tries;
    if (end !== 'exit code 0') throw new Error(`it ended before: ${end} ${child.stderr()}`);
  }
  throw new Error(`it was over before it was killed, ${TRIES} times: ${what}`);
}

test.each([
  ['as soon as it writes', (file: string) => existsSync(`${file}.partial`)],
  ['while the server copies its store', () => existsSync(join(directory(), 'backup', 'store'))],
])('a backup that is killed %s leaves no backup, and the next one is whole', async (when, isThere) => {
  const fileOf = (tries: number) => at(`killed ${when} ${tries}.age`);
  const tries = await killOnce(when, (next) => ({
    child: start(create(fileOf(next))),
    isThere: () => isThere(fileOf(next)),
  }));
  const file = fileOf(tries);
  expect(existsSync(file)).toBe(false);
  // The process that reads the store ends with its parent, and takes what it has copied along.
  await eventually('the copy is removed', () => !existsSync(join(directory(), 'backup')) || undefined);
  await eventually('the next one succeeds', async () =>
    (await run(...create(file))).end === 'exit code 0' ? true : undefined,
  );
  expect((await verify(file)).is_sound).toBe(true);
  expect(existsSync(`${file}.partial`)).toBe(false);
  expect(readdirSync(directory())).not.toContain('backup');
});

test('a backup does not take what another one writes to the same file, and leaves it alone', async () => {
  const file = at('twice.age');
  const draft = `${file}.partial`;
  const first = start(create(file));
  await eventually('it writes', () => existsSync(draft) || undefined, { intervalMs: 1 });
  rmSync(draft);
  writeFileSync(draft, 'of another backup');
  expect(await eventually('it has ended', first.ended)).toBe('exit code 1');
  expect(first.stderr()).toContain('another backup has replaced it meanwhile');
  expect([existsSync(file), readFileSync(draft, 'utf8')]).toEqual([false, 'of another backup']);
});

test.each([
  ['installation.key', true, false],
  ['signer/master.key', true, true],
  ['signer/audit.key', false, true],
])(
  'with a PostgreSQL, a directory without %s is not backed up as an installation',
  async (missing, hasOwnMasterKey, hasKeyApart) => {
    const dataDir = at('no installation');
    const databaseUrl = 'postgres://127.0.0.1:1/nowhere';
    const made = createBackup({
      file: at('wrong.age'),
      recipients: [recipient],
      users: undefined,
      hasOwnMasterKey,
      job: { store: { dataDir, databaseUrl }, headsFile: at('h'), hasKeyApart, version: '0', atMs: 0 },
    });
    await expect(made).rejects.toMatchObject({
      code: 'copyRefused',
      message: `${dataDir}: it has no ${missing}: is it the data directory of the server?`,
    });
  },
);

test('a restore that is killed leaves no installation, and the next one is whole', async () => {
  const file = at('a.age');
  expect((await run(...create(file))).end).toBe('exit code 0');
  const placeOf = (tries: number) => at(`place ${tries}`);
  const tries = await killOnce('it restores', (next) => ({
    child: start(restoreTo(file, placeOf(next))),
    isThere: () => existsSync(join(`${placeOf(next)}.restoring`, 'store', 'PG_VERSION')),
  }));
  const place = placeOf(tries);
  expect(existsSync(place)).toBe(false);
  expect((await run(...restoreTo(file, place))).end).toBe('exit code 0');
  expect(readdirSync(place)).toContain('store');
  expect(existsSync(`${place}.restoring`)).toBe(false);
});

test('a backup that is made while wallets are created is sound', async () => {
  const file = at('under-load.age');
  const made = run(...create(file));
  let isMade = false;
  void made.finally(() => {
    isMade = true;
  });
  let count = 0;
  while (!isMade) count += (await createManaged(directory(), 20)).length;
  expect((await made).end).toBe('exit code 0');
  expect(count).toBeGreaterThan(0);
  expect((await verify(file)).is_sound).toBe(true);
});

describe('a file that somebody else encrypted to the recipient', () => {
  const lines: BackupLine[] = [];
  beforeAll(async () => {
    expect((await run(...create(at('real.age')))).end).toBe('exit code 0');
    for await (const line of readLines(at('real.age'), await readIdentities(at('key.txt')))) lines.push(line);
  });

  const forge = async (name: string, forged: readonly BackupLine[]): Promise<string> => {
    const file = at(name);
    const text = forged.map(printLine).join('');
    const parts = (async function* () {
      yield Buffer.from(text);
    })();
    writeFileSync(file, await buffer(await encryptTo([recipient], parts)));
    return file;
  };

  /** With an end that says what is there. */
  const ended = (all: readonly BackupLine[]): readonly BackupLine[] => {
    const counter = new LineCounter();
    const others = all.filter(({ kind }) => kind !== 'end');
    for (const line of others) counter.add(line);
    return [...others, { kind: 'end', ...counter.counts() }];
  };

  const refused = async (file: string, reason: string): Promise<void> => {
    const place = at('never');
    const { end, stderr } = await run(...restoreTo(file, place));
    expect([end, stderr]).toEqual(['exit code 1', expect.stringContaining(reason)]);
    expect(stderr).toContain(file);
    expect([existsSync(place), existsSync(`${place}.restoring`)]).toEqual([false, false]);
  };

  test('writes no file but those of a backup', async () => {
    const evil: BackupLine = { kind: 'file', name: '../evil', data: 'aGVsbG8=' };
    const file = await forge('evil.age', ended([lines[0] as BackupLine, evil, ...lines.slice(1)]));
    await refused(file, 'it contains an unexpected file "../evil"');
    expect(existsSync(at('evil'))).toBe(false);
  });

  test.each([
    ['a record of the audit log', 'audit_records', 'units', '77', 'audit log: edited at'],
    [
      'a balance of the books',
      'ledger_accounts',
      'floor',
      '987654321012',
      'the store refused a row of ledger_accounts',
    ],
    ['an amount of the books', 'ledger_entries', 'amount', '123', 'books: 1 of'],
  ])('with %s changed is not restored', async (_, table, column, value, reason) => {
    let isDone = false;
    const changed = lines.map((line): BackupLine => {
      if (isDone || line.kind !== 'rows' || line.table !== table || line.rows.length === 0) return line;
      isDone = true;
      const place = line.columns.indexOf(column);
      const [first = [], ...others] = line.rows;
      return {
        ...line,
        rows: [first.map((old, index) => (index === place ? value : old)), ...others],
      };
    });
    await refused(await forge(`changed-${table}.age`, changed), reason);
  });

  test.each([
    ['without its end', (all: readonly BackupLine[]) => all.slice(0, -1), 'it is incomplete'],
    [
      'with fewer rows',
      (all: readonly BackupLine[]) => all.filter((line) => line.kind !== 'rows' || line.table !== 'wallets'),
      'it has less data than its end states',
    ],
    [
      'with something behind its end',
      (all: readonly BackupLine[]) => [...all, ...all.slice(-1)],
      'it has data after its end',
    ],
    [
      'of a newer format',
      (all: readonly BackupLine[]) => [{ ...all[0], format: 2 } as BackupLine, ...all.slice(1)],
      'it has the format 2',
    ],
    [
      'of a newer version',
      (all: readonly BackupLine[]) =>
        all.map((line) => (line.kind === 'store' ? { ...line, migrations: [...line.migrations, 1] } : line)),
      'its tables are from another version',
    ],
    [
      'with another column',
      (all: readonly BackupLine[]) =>
        all.map((line) =>
          line.kind === 'rows' && line.table === 'wallets'
            ? {
                ...line,
                columns: line.columns.map((name, index) =>
                  index === 0 ? 'id"; drop table accounts; --' : name,
                ),
              }
            : line,
        ),
      'its table wallets has the columns',
    ],
  ])('%s is refused', async (name, change, reason) => {
    await refused(await forge(`${name}.age`, change(lines)), reason);
  });
});
