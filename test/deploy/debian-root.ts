import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { ROOT } from '../support/source-files.ts';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('node_modules/.cache/keyslot-debian/', ROOT));
const READY_MS = 240_000;
/** Beyond the smallest system: what builds pkcs11js, and what the Debian package depends on. */
const PACKAGES = ['ca-certificates', 'g++', 'make', 'python3', 'systemd'];
/** Makes a root file system in memory, where dpkg does not wait for a disk, and keeps it for the next run. */
const MAKE = `set -e
[ ! -e "$3" ] || exit 0
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
unshare --mount debootstrap --variant=minbase --include=${PACKAGES.join(',')} "$1" "$root" "$2" >"$3.log"
chmod 0755 "$root"
rm -f "$root"/var/cache/apt/archives/*.deb
tar --one-file-system -C "$root" -cf "$3.part" .
mv "$3.part" "$3"`;

/** Why there is no Debian system to install in; undefined where there can be one. @throws Error in CI, where that is a failure. */
export function debianMissing(programs: readonly string[] = []): string | undefined {
  const missing = ['debootstrap', ...programs].filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  );
  const reason =
    missing.length > 0
      ? `needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`
      : process.geteuid?.() === 0
        ? debianRelease() === undefined && 'needs a Debian mirror in the sources of apt: apt-get update'
        : 'debootstrap and chroot are for root: run the tests as root';
  if (reason !== false && process.env.CI === 'true') throw new Error(reason);
  return reason || undefined;
}

/** The release that this machine gets packages of, and from where. */
function debianRelease(): { readonly suite: string; readonly mirror: string } | undefined {
  const format = ['--format', '$(CODENAME) $(REPO_URI)'];
  const printed = spawnSync('apt-get', ['indextargets', ...format, 'Component: main', 'Label: Debian'], {
    encoding: 'utf8',
  });
  const [, suite, mirror] = /^([a-z]+) (\S+)$/m.exec(printed.stdout ?? '') ?? [];
  return suite === undefined || mirror === undefined ? undefined : { suite, mirror };
}

/** The path of a tar file with a small Debian, made once for all checkouts' runs of a release and these packages. */
export async function debianTar(): Promise<string> {
  const release = debianRelease();
  if (release === undefined) throw new Error(debianMissing());
  const path = join(CACHE, `${[release.suite, process.arch, ...PACKAGES].join('-')}.tar`);
  mkdirSync(CACHE, { recursive: true });
  await run('flock', [`${path}.lock`, 'sh', '-c', MAKE, 'sh', release.suite, release.mirror, path]);
  return path;
}

/** Unpacks a small Debian of one's own. @returns its root. */
export async function unpackDebian(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'keyslot-root-'));
  await run('tar', ['-C', root, '-xf', await debianTar()]);
  return root;
}

/** The program and arguments that run a command in a root, with mounts that end with it. */
export function inRoot(root: string, command: readonly string[], mounts = ''): readonly string[] {
  const script = `set -e
${mounts}
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec chroot "$0" "$@"`;
  return ['unshare', '--mount', 'sh', '-c', script, root, ...command];
}

/** Runs a program to its end. @returns its output. @throws Error with what it says on standard error. */
export function runProgram([program = '', ...args]: readonly string[], env = process.env): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Starts a program that serves with `--json`, and waits until it is ready. `stop` signals the server itself. */
export async function startServer(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{
  readonly ready: Readonly<Record<string, unknown>>;
  readonly pid: number;
  readonly stop: (pid: number) => Promise<number | null>;
}> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} does not start`);
  const ended = once(child, 'close');
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(-pid, 'SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const line = await eventually(
    'the server is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stderr}`);
      return /^\{.*\}$/m.exec(stdout)?.[0];
    },
    { timeoutMs: READY_MS },
  );
  const stop = async (server: number): Promise<number | null> => {
    process.kill(server, 'SIGTERM');
    const [code] = (await ended) as [number | null];
    return code;
  };
  return { ready: JSON.parse(line) as Readonly<Record<string, unknown>>, pid, stop };
}
