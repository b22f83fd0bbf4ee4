import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import type { Finding } from '../../../src/operate/doctor/finding.ts';
import { useCommands } from '../../cli/use-commands.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { findRedis, REDIS_MISSING } from '../../support/redis.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';

type Report = { readonly is_sound: boolean; readonly findings: readonly Finding[] };

const { directory, runAlone, run, newNode, serve } = useCommands('group');
const outside = useNewDirectory('group');

/** The output of doctor, with these settings. */
async function examined(
  env: Readonly<Record<string, string>> = {},
): Promise<Report & { readonly end: string }> {
  const { end, stdout, stderr } = await runAlone(['doctor', '--json'], env);
  expect(stderr).toBe('');
  return { end, ...(JSON.parse(stdout) as Report) };
}

const of = ({ findings }: Report, part: string): Finding | undefined =>
  findings.find((one) => one.part === part);
const worst = ({ findings }: Report): readonly string[] =>
  findings.filter(({ state }) => state === 'wrong').map(({ part }) => part);

describe('a running server', () => {
  let nodeUrl = '';
  let lose: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    const node = await newNode();
    nodeUrl = node.url;
    lose = node.close;
    await serve({ KEYSLOT_UPSTREAM_URL: nodeUrl });
  });

  test('has nothing wrong; what is missing to a server of others is a warning', async () => {
    const report = await examined({ KEYSLOT_UPSTREAM_URL: nodeUrl });
    expect([report.end, report.is_sound, worst(report)]).toEqual(['exit code 0', true, []]);
    const states = Object.fromEntries(report.findings.map(({ part, state }) => [part, state]));
    expect(states).toMatchObject({
      node: 'ok',
      'data directory': 'ok',
      'topic files': 'skipped',
      server: 'ok',
      store: 'ok',
      clock: 'ok',
      signer: 'ok',
      hsm: 'ok',
      'network solana-localnet': 'ok',
      tls: 'skipped',
      mail: 'skipped',
      backup: 'warning',
    });
    for (const { state, remedy } of report.findings)
      expect(remedy !== undefined).toBe(state === 'warning' || state === 'wrong');
  });

  test('says it in words, without a secret', async () => {
    const { stdout } = await run('doctor');
    expect(stdout).toContain('ok      signer: ready, keys in soft');
    expect(stdout).toMatch(/0 wrong, \d warnings?\.\n$/);
    const { access_token, api_key } = JSON.parse(
      readFileSync(join(directory(), 'dev.json'), 'utf8'),
    ) as Record<string, string>;
    expect(stdout).not.toContain(access_token ?? '-');
    expect(stdout).not.toContain(api_key ?? '-');
  });

  test('a backup counts for two days', async () => {
    await run('backup', 'key', join(outside(), 'key.txt'));
    const [, recipient = ''] = /(age1\w+)/.exec(readFileSync(join(outside(), 'key.txt'), 'utf8')) ?? [];
    await run('backup', 'create', join(outside(), 'a.age'), '--recipient', recipient);
    expect(of(await examined(), 'backup')).toMatchObject({ state: 'ok' });
    const made_at = new Date(Date.now() - 49 * 3_600_000).toISOString();
    writeFileSync(
      join(directory(), 'last-backup.json'),
      JSON.stringify({ made_at, file: '/b.age', bytes: 1 }),
    );
    expect(of(await examined(), 'backup')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('49 hours ago: /b.age'),
    });
  });

  test('a data directory that is open to others is wrong, by its path', async () => {
    const path = join(directory(), 'installation.key');
    chmodSync(path, 0o644);
    const report = await examined();
    expect([report.end, worst(report)]).toEqual(['exit code 1', ['data directory']]);
    expect(of(report, 'data directory')).toMatchObject({
      detail: `${path} has the mode 644`,
      remedy: expect.stringContaining('chmod'),
    });
    chmodSync(path, 0o600);
  });

  test('files of blocks of topics are as many as the disk allows', async () => {
    const folder = join(directory(), 'segments', 'solana-localnet', 'ledger');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(join(directory(), 'segments'), 0o700);
    writeFileSync(join(folder, `${'0'.repeat(20)}-00000000.blocks`), Buffer.alloc(10 ** 8), { mode: 0o600 });
    const env = { KEYSLOT_UPSTREAM_URL: nodeUrl };
    expect(
      of(await examined({ ...env, KEYSLOT_STREAM_SEGMENTS_BYTES: '1000000' }), 'topic files'),
    ).toMatchObject({
      state: 'ok',
      detail: '0.1 GB of blocks of topics are kept, at most 0.0 GB',
    });
    const much = { ...env, KEYSLOT_STREAM_SEGMENTS_BYTES: String(10 ** 15) };
    expect(of(await examined(much), 'topic files')).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('half of what the disk'),
    });
    const none = { ...env, KEYSLOT_STREAM_SEGMENTS_BYTES: '0' };
    expect(of(await examined(none), 'topic files')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('0.1 GB'),
      remedy: 'delete that directory',
    });
    rmSync(join(directory(), 'segments'), { recursive: true });
    expect(of(await examined(none), 'topic files')?.state).toBe('skipped');
  });

  test('a network without a node is wrong', async () => {
    await lose();
    const report = await eventually('the server has noticed', async () => {
      const found = await examined();
      return worst(found).includes('network solana-localnet') ? found : undefined;
    });
    expect(of(report, 'network solana-localnet')?.remedy).toContain('keyslot nodes');
    expect(report.end).toBe('exit code 1');
  });
});

describe('without a server', () => {
  const place = () => ({ KEYSLOT_DATA_DIR: join(outside(), 'none') });

  test('an empty place has warnings, and doctor makes nothing in it', async () => {
    const report = await examined(place());
    expect([report.is_sound, report.end]).toEqual([true, 'exit code 0']);
    for (const part of ['data directory', 'server', 'store', 'signer', 'backup'])
      expect(of(report, part), part).toMatchObject({ state: 'warning', remedy: expect.any(String) });
    expect(() => readFileSync(join(outside(), 'none'))).toThrow('ENOENT');
  });

  test('a node that cannot be reached is named without its address, which may hold a key', async () => {
    const report = await examined({ ...place(), KEYSLOT_UPSTREAM_URL: 'http://127.0.0.1:9/?api-key=sekret' });
    expect(of(report, 'network solana-localnet')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('node-1: '),
    });
    expect(JSON.stringify(report)).not.toContain('sekret');
  });

  test.each([
    ['90', 'ok', 'is valid for'],
    ['5', 'warning', 'expires in'],
  ])('a certificate for %s days is %s', async (days, state, detail) => {
    expect(of(await examined({ ...place(), ...newCertificate(days) }), 'tls')).toMatchObject({
      state,
      detail: expect.stringContaining(detail),
    });
  });

  test('a certificate without its key is a mistake in the settings', async () => {
    const mixed = {
      ...newCertificate('90'),
      KEYSLOT_TLS_KEY_FILE: newCertificate('90').KEYSLOT_TLS_KEY_FILE,
    };
    const { end, stderr } = await runAlone(['doctor'], { ...place(), ...mixed });
    expect([end, stderr]).toEqual(['exit code 2', expect.stringContaining('http.tls')]);
  });

  test('a mail server that does not answer is wrong, and its password is not shown', async () => {
    const mail = {
      KEYSLOT_MAIL_SMTP_URL: 'smtp://ann:sekret@127.0.0.1:9',
      KEYSLOT_MAIL_FROM: 'a@example.com',
    };
    const report = await examined({ ...place(), ...mail });
    expect(of(report, 'mail')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('127.0.0.1:9: '),
    });
    expect(JSON.stringify(report)).not.toContain('sekret');
  });

  test('a Redis is reached, or is wrong without its password', async (context) => {
    const url = await findRedis();
    const database = { KEYSLOT_DATABASE_URL: 'postgres://ann@127.0.0.1:9/x' };
    const gone = await examined({
      ...place(),
      ...database,
      KEYSLOT_REDIS_URL: 'redis://:sekret@127.0.0.1:9',
    });
    expect(of(gone, 'redis')).toMatchObject({ state: 'wrong', detail: '127.0.0.1:9: ECONNREFUSED' });
    expect(JSON.stringify(gone)).not.toContain('sekret');
    if (url === undefined) return context.skip(REDIS_MISSING);
    expect(of(await examined({ ...place(), ...database, KEYSLOT_REDIS_URL: url }), 'redis')).toMatchObject({
      state: 'ok',
    });
  });

  test('a master key file that is not there is wrong', async () => {
    const report = await examined({ ...place(), KEYSLOT_HSM_MASTER_KEY_FILE: join(outside(), 'gone.key') });
    expect(of(report, 'hsm')).toMatchObject({ state: 'wrong', detail: expect.stringContaining('gone.key') });
  });

  test('a store that is damaged is wrong, and the rest is looked at', async () => {
    const damaged = join(outside(), 'damaged');
    mkdirSync(join(damaged, 'store'), { recursive: true, mode: 0o700 });
    chmodSync(damaged, 0o700);
    writeFileSync(join(damaged, 'store', 'PG_VERSION'), '', { mode: 0o600 });
    const report = await examined({ KEYSLOT_DATA_DIR: damaged });
    expect(of(report, 'store')).toMatchObject({ state: 'wrong', detail: expect.stringContaining('damaged') });
    expect(of(report, 'backup')).toMatchObject({ state: 'warning' });
  });

  test('settings that are not valid end it with all mistakes', async () => {
    const { end, stderr } = await runAlone(['doctor'], { ...place(), KEYSLOT_HTTP_PORT: 'many' });
    expect([end, stderr]).toEqual(['exit code 2', expect.stringContaining('http.port')]);
  });

  test('a PostgreSQL is reached, or is wrong without its password', async (context) => {
    const url = await findPostgres();
    if (url === undefined) return context.skip(POSTGRES_MISSING);
    const { url: own, drop } = await createDatabase(url);
    try {
      const empty = await examined({ ...place(), KEYSLOT_DATABASE_URL: own });
      expect(of(empty, 'store')).toMatchObject({
        detail: expect.stringContaining('it has no tables of Keyslot'),
      });
      const keys = await runAlone(['keys', 'list'], { ...place(), KEYSLOT_DATABASE_URL: own });
      expect(keys.end).toBe('exit code 0');
      const report = await examined({ ...place(), KEYSLOT_DATABASE_URL: own });
      expect(of(report, 'store')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('has the tables of this version'),
      });
      expect(of(report, 'clock')).toMatchObject({ state: 'ok' });
    } finally {
      await drop();
    }
    const gone = await examined({ ...place(), KEYSLOT_DATABASE_URL: 'postgres://ann:sekret@127.0.0.1:9/x' });
    expect(of(gone, 'store')).toMatchObject({ state: 'wrong' });
    expect(JSON.stringify(gone)).not.toContain('sekret');
    rmSync(join(outside(), 'none'), { recursive: true, force: true });
  });
});

let certificates = 0;

function newCertificate(days: string) {
  certificates += 1;
  const [cert, key] = ['cert', 'key'].map((name) => join(outside(), `${certificates}-${name}.pem`)) as [
    string,
    string,
  ];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      days,
      '-subj',
      '/CN=localhost',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return { KEYSLOT_TLS_CERT_FILE: cert, KEYSLOT_TLS_KEY_FILE: key };
}
