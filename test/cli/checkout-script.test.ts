import { spawnSync } from 'node:child_process';
import { copyFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const SCRIPT = fileURLToPath(new URL('../../keyslot', import.meta.url));

const run = (path: string, cwd = directory()) =>
  spawnSync(path, ['--version'], { cwd, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });

test('./keyslot runs the command line from any directory, also through symbolic links', () => {
  symlinkSync(SCRIPT, join(directory(), 'first'));
  symlinkSync('first', join(directory(), 'second'));
  for (const path of [SCRIPT, join(directory(), 'second')]) {
    const { status, stdout, stderr } = run(path);
    expect([status, stdout, stderr]).toEqual([0, `keyslot ${manifest.version}\n`, '']);
  }
});

test('./keyslot says what to run where nothing is installed', () => {
  const path = join(directory(), 'keyslot');
  copyFileSync(SCRIPT, path);
  const { status, stdout, stderr } = run(path);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^keyslot: nothing is installed in \S+ yet; run: make -C '\S+' install\n$/);
});
