import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { readOperateBlock } from '../support/operate-blocks.ts';
import { ROOT } from '../support/source-files.ts';

const text = readFileSync(new URL('docs/operate.md', ROOT), 'utf8');

test.each([
  'Install',
  'TLS',
  'Nodes',
  'A token for the keys',
  'PostgreSQL',
  'Redis',
  'Backup',
  'Restore',
  'Upgrade',
  'Rotate everything',
  'Capacity',
  'What to watch',
  'What to do when',
])('an operator finds a section on: %s', (heading) => {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  expect(section.split('\n## ')[0]?.trim().split('\n').length).toBeGreaterThan(3);
});

describe('the script that backs up the gateways in containers', () => {
  const directory = useNewDirectory();
  const BACKUPS = ['gateway-1-old.age', 'gateway-1-old.age.partial', 'gateway-2-old.age'];
  /** `docker compose exec -T GATEWAY COMMAND…`, of which some fail. */
  const DOCKER = `#!/bin/sh
case "$*" in $FAILING) echo "failed: $*" >&2; exit 1 ;; esac
case $5 in cat) echo "backup of $4" ;; esac
`;

  /** Runs it where there are old backups; `failing` is a pattern of what docker fails at. */
  function run(failing: string): { readonly status: number | null; readonly files: readonly string[] } {
    const bin = join(directory(), 'bin');
    const backups = join(directory(), 'backups');
    for (const path of [bin, backups]) mkdirSync(path);
    writeFileSync(join(bin, 'docker'), DOCKER.replace('$FAILING', failing), { mode: 0o755 });
    const old = new Date(Date.now() - 40 * 86_400_000);
    for (const name of BACKUPS) {
      writeFileSync(join(backups, name), '');
      utimesSync(join(backups, name), old, old);
    }
    const [functions = ''] = readOperateBlock('keyslot() {').split('\nkeyslot gateway-1 doctor');
    const { status } = spawnSync('bash', ['-c', `${functions}\n${readOperateBlock('\nbackup gateway-1')}`], {
      cwd: directory(),
      stdio: 'ignore',
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    const files = readdirSync(backups).toSorted();
    for (const name of files.filter((one) => one.endsWith('Z.age')))
      expect(readFileSync(join(backups, name), 'utf8')).toBe(`backup of ${name.slice(0, 9)}\n`);
    return { status, files };
  }

  const made = (gateway: string): unknown =>
    expect.stringMatching(new RegExp(`^${gateway}-\\d{4}-\\d\\d-\\d\\dT\\d{6}Z\\.age$`));

  test('makes one of each, and removes old ones', () => {
    expect(run('nothing')).toEqual({ status: 0, files: [made('gateway-1'), made('gateway-2')] });
  });

  test.each([
    ['gateway-1', 'gateway-2', 'rm -f '],
    ['gateway-1', 'gateway-2', 'backup create '],
    ['gateway-1', 'gateway-2', 'cat '],
    ['gateway-2', 'gateway-1', 'backup create '],
  ])(
    'fails when %s does, makes the backup of %s all the same, and keeps what the first had: %s',
    (one, other, part) => {
      const { status, files } = run(`*" ${one} "*"${part}"*`);
      expect([status, files]).toEqual([1, expect.arrayContaining([made(other), `${one}-old.age`])]);
      expect(files).not.toContainEqual(made(one));
      expect(files).not.toContain(`${other}-old.age`);
    },
  );
});
