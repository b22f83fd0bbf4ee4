import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupResult } from '../../../src/operate/backup/create-backup.ts';
import type { BackupVerdict } from '../../../src/operate/backup/verify-backup.ts';
import type { RestoreResult } from '../../../src/operate/backup/restore-backup.ts';
import { useCommands } from '../../cli/use-commands.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createManaged, developmentOf, signWith } from './served.ts';

/** A test starts several servers one after the other. */

const { directory, run, runAlone, json, newNode, serve } = useCommands('group');
const outside = useNewDirectory('group');
const at = (name: string): string => join(outside(), name);

describe('a backup of a running server', () => {
  let wallets: readonly string[] = [];
  let made: BackupResult;
  let recipient = '';
  let metrics = '';

  beforeAll(async () => {
    const node = await newNode();
    const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
    wallets = await createManaged(directory(), 30);
    // Heads of the audit log are signed at the latest when a server stops.
    await server.stop();
    const { server: next } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
    ({ recipient } = await json<{ recipient: string }>('backup', 'key', at('key.txt')));
    made = await json<BackupResult>('backup', 'create', at('a.age'), '--recipient', recipient);
    const { base_url } = developmentOf(directory());
    metrics = await (await fetch(`${base_url}/metrics`)).text();
    await createManaged(directory(), 5);
    await next.stop();
  });

  test('is one file for its owner alone, and leaves nothing next to itself or in the data directory', () => {
    expect(statSync(at('a.age')).mode & 0o777).toBe(0o600);
    expect(statSync(at('a.age')).size).toBe(made.bytes);
    expect(readFileSync(at('a.age'), 'latin1').startsWith('age-encryption.org/v1\n')).toBe(true);
    expect(existsSync(`${at('a.age')}.partial`)).toBe(false);
    expect(readdirSync(directory())).not.toContain('backup');
    expect(JSON.parse(readFileSync(join(directory(), 'last-backup.json'), 'utf8'))).toEqual({
      made_at: made.made_at,
      bytes: made.bytes,
      file: made.file,
    });
  });

  test('is in the metrics of the server, by the time when it was made', () => {
    const [, seconds] = /^keyslot_last_backup_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Number(seconds) * 1_000).toBe(Date.parse(made.made_at));
  });

  test('has the files of the signer, of the audit log and of the installation', () => {
    expect([...made.files].sort()).toEqual([
      ...['audit-heads.jsonl', 'dev.json', 'installation.key'],
      ...['signer/audit.key', 'signer/master.key', 'signer/tombstones'],
    ]);
  });

  test('is verified in a scratch place, with the rows of the moment when it was made', async () => {
    const verdict = await json<BackupVerdict>('backup', 'verify', at('a.age'), '--key', at('key.txt'));
    expect(verdict).toMatchObject({ is_sound: true, store: 'pglite', rows: made.rows });
    expect(verdict.tables.wallets).toBe(30);
    expect(verdict.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['audit log', true],
      ['books', true],
      ['destroyed keys', true],
    ]);
    const { stdout } = await run('backup', 'verify', at('a.age'), '--key', at('key.txt'));
    expect(stdout).toContain('The backup is sound.');
  });

  test('is restored into an empty place, where its wallets sign', async () => {
    const place = at('restored');
    const result = await json<RestoreResult>(
      'restore',
      at('a.age'),
      '--key',
      at('key.txt'),
      '--data-dir',
      place,
    );
    expect(result).toMatchObject({ data_dir: place, store: 'pglite', rows: made.rows });
    expect(readdirSync(place)).not.toContain('lock');
    expect(existsSync(`${place}.restoring`)).toBe(false);
    const node = await newNode();
    await serve({ KEYSLOT_UPSTREAM_URL: node.url, KEYSLOT_DATA_DIR: place });
    expect(new Set(await signWith(place, wallets))).toEqual(new Set([200]));
    expect((await createManaged(place, 2)).length).toBe(2);
    const verified = await run('audit', 'verify', '--data-dir', place);
    expect(verified.end).toBe('exit code 0');
    const examined = await run('doctor', '--data-dir', place);
    expect([examined.end, examined.stdout]).toEqual(['exit code 0', expect.stringContaining('0 wrong')]);
  });

  test('is restored with its file of heads where the settings say, through no link that is there', async () => {
    const [heads, target, place] = [at('heads.jsonl'), at('target'), at('linked')];
    symlinkSync(target, heads);
    const args = ['restore', at('a.age'), '--key', at('key.txt'), '--data-dir', place];
    const restore = () => runAlone(args, { KEYSLOT_AUDIT_HEADS_FILE: heads });
    const refused = await restore();
    expect([refused.end, refused.stderr]).toEqual(['exit code 1', expect.stringContaining(heads)]);
    expect([existsSync(target), existsSync(place)]).toEqual([false, false]);
    rmSync(heads);
    expect((await restore()).end).toBe('exit code 0');
    const isInside = existsSync(join(place, 'audit-heads.jsonl'));
    expect([statSync(heads).mode & 0o777, statSync(heads).size > 0, isInside]).toEqual([0o600, true, false]);
  });

  test('is not restored over anything', async () => {
    const { end, stderr } = await run('restore', at('a.age'), '--key', at('key.txt'));
    expect(end).toBe('exit code 1');
    expect(stderr).toContain(`${directory()}: the data directory is not empty`);
  });

  test('overwrites no file', async () => {
    const { stderr } = await run('backup', 'create', at('a.age'), '--recipient', recipient);
    expect(stderr).toContain('the file exists; choose another name, backups are never overwritten');
    expect(statSync(at('a.age')).size).toBe(made.bytes);
  });

  test('says in one line why a place cannot be written', async () => {
    const { end, stderr } = await run('backup', 'create', at('none/a.age'), '--recipient', recipient);
    expect(end).toBe('exit code 1');
    expect(stderr.trimEnd()).toMatch(/^keyslot: [^\n]*none\/a\.age\.partial: ENOENT[^\n]*$/);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 70_000), 'it was altered, or is cut off'],
    ['cut off by a byte', (bytes: Buffer) => bytes.subarray(0, -1), 'it was altered, or is cut off'],
    ['altered', (bytes: Buffer) => flip(bytes, bytes.length - 9_000), 'it was altered, or is cut off'],
    [
      'altered at its head',
      (bytes: Buffer) => flip(bytes, 90),
      'it is not encrypted to this key, or its head was altered|it was altered',
    ],
    ['empty', () => Buffer.alloc(0), 'it is not a backup'],
    ['another file', () => Buffer.from('hello\n'), 'it is not a backup'],
  ])('that is %s is refused by name, and nothing is restored', async (name, alter, reason) => {
    const file = at(`${name.replaceAll(' ', '-')}.age`);
    writeFileSync(file, alter(readFileSync(at('a.age'))));
    const place = at('never');
    for (const args of [
      ['backup', 'verify', file, '--key', at('key.txt')],
      ['restore', file, '--key', at('key.txt'), '--data-dir', place],
    ]) {
      const { end, stderr } = await run(...args);
      expect(end).toBe('exit code 1');
      expect(stderr).toContain(`backup ${file}: `);
      expect(stderr.split(`${file}: `)[1]).toMatch(new RegExp(`^(${reason})`));
    }
    expect([existsSync(place), existsSync(`${place}.restoring`)]).toEqual([false, false]);
  });

  test('is opened by its key alone', async () => {
    await json('backup', 'key', at('other.txt'));
    const { end, stderr } = await run('backup', 'verify', at('a.age'), '--key', at('other.txt'));
    expect([end, stderr]).toEqual([
      'exit code 1',
      expect.stringContaining('it is not encrypted to this key'),
    ]);
    copyFileSync(at('a.age'), at('no-key.txt'));
    const none = await run('backup', 'verify', at('a.age'), '--key', at('no-key.txt'));
    expect([none.end, none.stderr]).toEqual(['exit code 2', expect.stringContaining('has no key')]);
  });

  test('is made without a server too', async () => {
    const again = await json<BackupResult>('backup', 'create', at('b.age'), '--recipient', recipient);
    expect(again.rows).toBeGreaterThan(made.rows);
    const verdict = await json<BackupVerdict>('backup', 'verify', at('b.age'), '--key', at('key.txt'));
    expect([verdict.is_sound, verdict.tables.wallets]).toEqual([true, 35]);
  });

  test('is refused where there is no store, and makes none', async () => {
    const empty = at('empty');
    const { end, stderr } = await run(
      'backup',
      'create',
      at('d.age'),
      '--recipient',
      recipient,
      '--data-dir',
      empty,
    );
    expect([end, stderr]).toEqual(['exit code 1', expect.stringContaining('there is no store to back up')]);
    expect([existsSync(empty), existsSync(at('d.age'))]).toEqual([false, false]);
  });

  test('needs a recipient that is one', async () => {
    const none = await run('backup', 'create', at('c.age'));
    expect([none.end, none.stderr]).toEqual(['exit code 2', expect.stringContaining('missing a recipient')]);
    const wrong = await run('backup', 'create', at('c.age'), '--recipient', 'age1qqqq');
    expect([wrong.end, wrong.stderr]).toEqual([
      'exit code 2',
      expect.stringContaining('is not an age recipient'),
    ]);
    expect(existsSync(at('c.age'))).toBe(false);
  });
});

function flip(bytes: Buffer, position: number): Buffer {
  const altered = Buffer.from(bytes);
  altered[position] = (altered[position] ?? 0) ^ 1;
  return altered;
}
