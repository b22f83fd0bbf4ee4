import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import { readDeployFile, readUnit } from './deploy-files.ts';

const UNITS = ['keyslot.service', 'keyslot-backup.service', 'keyslot-backup.timer'];
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));
const VARIABLES = new Set(CONFIG_SETTINGS.flatMap(({ env }) => env ?? []));
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
    const allowed = ['CAP_SETUID', 'CAP_SETGID', 'CAP_DAC_READ_SEARCH'];
    expect(kept.filter((capability) => !allowed.includes(capability))).toEqual([]);
    expect(Service.AmbientCapabilities ?? ['']).toEqual(['']);
  },
);

test.each(SERVICES)('%s starts Keyslot by its path, with settings that exist and both users', (name) => {
  const { Service = {} } = readUnit(name);
  expect(Service.ExecStart?.join('')).toContain(
    '/opt/keyslot/node_modules/node/bin/node --disable-sigusr1 /opt/keyslot/node_modules/keyslot/src/main.js',
  );
  const pairs = Service.Environment?.flatMap((line) => line.split(' ')) ?? [];
  const names = pairs.map((pair) => pair.split('=')[0] ?? '');
  expect(names.filter((variable) => !VARIABLES.has(variable))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['KEYSLOT_GATEWAY_USER', 'KEYSLOT_SIGNER_USER']));
});

test('a server has longer to stop than its requests have to finish', () => {
  const deadline = CONFIG_SETTINGS.find(({ env }) => env === 'KEYSLOT_SHUTDOWN_DEADLINE_MS')?.default;
  const [stop = '0'] = readUnit('keyslot.service').Service?.TimeoutStopSec ?? [];
  expect(Number(stop) * 1_000).toBeGreaterThan(Number(deadline));
});

test.skipIf(!hasAnalyze).each(UNITS)('%s is what systemd accepts (apt-get install systemd)', (name) => {
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-units-'));
  try {
    for (const unit of UNITS)
      writeFileSync(
        join(directory, unit),
        readDeployFile(unit).replaceAll('/opt/keyslot/node_modules/node/bin/node', '/bin/true'),
      );
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
