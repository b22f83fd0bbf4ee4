import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { lendPackages, NODE, ROOT } from './install-client.ts';

const run = promisify(execFile);
/** The environment of the package: nothing of the checkout, and the way to the registry, where the machine has one of its own. */
const SEEN = ['HOME', 'NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const READY_MS = 240_000;

/** An installation of the packed command line, and the Node that it runs on. */
export type PackedKeyslot = { readonly folder: string; readonly node: string };

type Manifest = Readonly<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>;

/** Packs keyslot, and passes the tarball on in an empty folder that has a package.json: no path leads from there to the checkout. */
async function unpackWith(install: (folder: string, tarball: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-packed-'));
  const out = await mkdtemp(join(tmpdir(), 'keyslot-tarball-'));
  const pack = ['--import', 'tsx', 'codegen/pack/main.ts', 'keyslot', '--out', out];
  const { stdout } = await run(NODE, pack, { cwd: ROOT });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const tarball = stdout.trim();
  await install(folder, tarball);
  await copyFile(tarball.replace(/\.tgz$/, '.cdx.json'), join(folder, 'sbom.json'));
  await rm(out, { recursive: true, force: true });
  return folder;
}

/** Installs the tarball as users do. @returns the folder. */
export function installKeyslot(): Promise<string> {
  return unpackWith(async (folder, tarball) => {
    const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball];
    await run('npm', npm, { cwd: folder, env: environment(process.execPath) });
  });
}

/** Unpacks the tarball next to the packages of the checkout: the same code, without the minute of an installation. @returns the folder. */
export function lendKeyslot(): Promise<string> {
  return unpackWith(async (folder, tarball) => {
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, 'keyslot'), { recursive: true });
    await mkdir(join(modules, '.bin'));
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(modules, 'keyslot')]);
    await symlink('../keyslot/bin/keyslot.js', join(modules, '.bin/keyslot'));
    const manifest = JSON.parse(await readFile(join(modules, 'keyslot/package.json'), 'utf8')) as Manifest;
    const named = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    await lendPackages(
      folder,
      named.filter((name) => existsSync(join(ROOT, 'node_modules', name))),
    );
  });
}

function environment(node: string): Record<string, string> {
  const seen = Object.entries(process.env).flatMap(([name, value]) =>
    SEEN.includes(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(seen), PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
}

const npx = (...args: readonly string[]) => ['--no-install', 'keyslot', ...args];

/** Runs a command to its end. */
export function runPacked({ folder, node }: PackedKeyslot, ...args: readonly string[]) {
  return run('npx', npx(...args), { cwd: folder, env: environment(node), maxBuffer: 64 * 1024 * 1024 });
}

/** Starts a command that runs until it is stopped, and waits for the line of JSON that it prints when it is ready. */
export async function startPacked(
  { folder, node }: PackedKeyslot,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn('npx', npx(...args), {
    cwd: folder,
    env: { ...environment(node), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const { pid } = child;
  if (pid === undefined) throw new Error('npx does not start');
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
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
    `keyslot ${args.join(' ')} is ready`,
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stderr}`);
      return /^\{.*\}$/m.exec(stdout)?.[0];
    },
    { timeoutMs: READY_MS },
  );
  /** Signals npx alone, as a user who knows no other process does; all that hold its output end with it. */
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ready: JSON.parse(line) as Readonly<Record<string, unknown>>, stop };
}
