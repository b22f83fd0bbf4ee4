import { execFileSync, spawnSync } from 'node:child_process';

/** A user of the machine that tests are run with. */
export type TestUser = { readonly name: string; readonly uid: number };

/** Why there are no users to test with; undefined where they can be had. */
export function usersMissing(): string | undefined {
  if (process.platform !== 'linux') return 'users are made with useradd, which only Linux has';
  if (process.geteuid?.() !== 0) return 'other users are started by root only: run the tests as root';
  const { status } = spawnSync('sh', ['-c', 'command -v useradd']);
  return status === 0 ? undefined : 'useradd makes the users of this test: install the package passwd';
}

/** A user of the machine, made where it does not exist, as a package makes one for its service. */
export function systemUser(name: string): TestUser {
  const ask = (): number => Number(execFileSync('id', ['-u', name], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { name, uid: ask() };
  } catch {
    execFileSync('useradd', ['--system', '--no-create-home', '--user-group', name], { stdio: 'pipe' });
    return { name, uid: ask() };
  }
}
