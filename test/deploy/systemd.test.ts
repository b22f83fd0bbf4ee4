import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import { readDeployFile, readUnit } from './deploy-files.ts';

const UNITS = ['keyslot.service', 'keyslot-backup.service', 'keyslot-backup.timer'];
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));
const VARIABLES = new Set(CONFIG_SETTINGS.flatMap(({ env }) => env ?? []));
/** The time of workers beyond the grace and the deadline (docs/operate.md). */
const WORKERS_MS = 20_000;
const operateText = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
const hasAnalyze = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

test.each(SERVICES)(
  '%s gains no privileges, and loses those that a start as two users does not need',
  (name) => {
    const { Service = {} } = readUnit(name);
    expect(Service).toMatchObject({
      NoNewPrivileges: ['yes'],
      ProtectSystem: ['strict'],
      ProtectHome: ['yes'],
      PrivateTmp: ['yes'],
      UMask: ['0077'],
      LimitCORE: ['0'],
    });
    const kept = Service.CapabilityBoundingSet?.[0]?.split(' ') ?? [];
    const needed = ['CAP_SETUID', 'CAP_SETGID', 'CAP_DAC_READ_SEARCH'];
    // A backup ends its process of the gateway's user.
    expect(kept).toEqual(name === 'keyslot-backup.service' ? [...needed, 'CAP_KILL'] : needed);
    expect(Service.AmbientCapabilities ?? ['']).toEqual(['']);
  },
);

test.each(SERVICES)('%s starts Keyslot by its path, with settings that exist and both users', (name) => {
  const { Service = {} } = readUnit(name);
  expect(Service.ExecStart?.join('')).toContain(
    '/usr/bin/node --disable-sigusr1 /opt/keyslot/node_modules/keyslot/src/main.js',
  );
  const pairs = Service.Environment?.flatMap((line) => line.split(' ')) ?? [];
  const names = pairs.map((pair) => pair.split('=')[0] ?? '');
  expect(names.filter((variable) => !VARIABLES.has(variable) && !variable.startsWith('MALLOC_'))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['KEYSLOT_GATEWAY_USER', 'KEYSLOT_SIGNER_USER']));
});

test('a backup makes the directory that it is written to', () => {
  const { Service = {} } = readUnit('keyslot-backup.service');
  const [, directory] = /backup create "([^"]+)\/[^/"]+"/.exec(Service.ExecStart?.join('') ?? '') ?? [];
  expect(directory).toBeDefined();
  expect(Service.ExecStartPre).toContain(`+/usr/bin/install -d -m 0700 ${directory}`);
});

test('a backup removes drafts that others left, and neither backups nor a draft that is written', () => {
  const [find = ''] =
    readUnit('keyslot-backup.service').Service?.ExecStartPre?.filter((line) => line.includes('.partial')) ??
    [];
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-drafts-'));
  try {
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const name of ['old.age.partial', 'old.age', 'new.age.partial']) {
      writeFileSync(join(directory, name), '');
      if (name.startsWith('old')) utimesSync(join(directory, name), old, old);
    }
    // Without a shell, as systemd starts it.
    const [program = '', ...args] = find.replace('/var/backups/keyslot', directory).split(' ');
    expect(spawnSync(program, args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(directory).toSorted()).toEqual(['new.age.partial', 'old.age']);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a server whose start fails is started again for as long as it takes', () => {
  const { Unit = {}, Service = {} } = readUnit('keyslot.service');
  expect([Unit.StartLimitIntervalSec, Service.Restart]).toEqual([['0'], ['always']]);
});

test('a server that was started with a mistake, such as a wrong PIN, is not started again with it', () => {
  expect(readUnit('keyslot.service').Service?.RestartPreventExitStatus).toEqual(['2']);
});

test('a server has longer to stop than its grace in a rolling restart, its requests and its workers take', () => {
  const deadline = CONFIG_SETTINGS.find(({ env }) => env === 'KEYSLOT_SHUTDOWN_DEADLINE_MS')?.default;
  const [, grace] = /KEYSLOT_SHUTDOWN_GRACE_MS=(\d+)/.exec(operateText) ?? [];
  const [stop = '0'] = readUnit('keyslot.service').Service?.TimeoutStopSec ?? [];
  expect(Number(stop) * 1_000).toBeGreaterThan(Number(grace) + Number(deadline) + WORKERS_MS);
});

test.skipIf(!hasAnalyze).each(UNITS)('%s is what systemd accepts (apt-get install systemd)', (name) => {
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-units-'));
  try {
    for (const unit of UNITS)
      writeFileSync(join(directory, unit), readDeployFile(unit).replaceAll('/usr/bin/node', '/bin/true'));
    const { stdout, stderr, status } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', join(directory, name)],
      { encoding: 'utf8' },
    );
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('keyslot'));
    expect([status, said]).toEqual([0, []]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
