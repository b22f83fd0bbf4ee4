import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../src/base/eventually.ts';
import { call } from '../../src/contract/json-rpc.ts';
import { NODE } from '../support/node-process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEADLINE_MS = 600_000;
/** The environment of the package: nothing of the checkout, and the way to the registry, where the machine has one of its own. */
const SEEN = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => SEEN.includes(name)));
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;

let folder = '';
const filesOfPackage = (): Promise<string[]> =>
  readdir(join(folder, 'node_modules/keyslot'), { recursive: true });
const running: (() => void)[] = [];

/** Packs the command line, and installs the tarball in an empty folder: no path leads from there to the checkout. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyslot-packed-'));
  const out = await mkdtemp(join(tmpdir(), 'keyslot-tarball-'));
  const pack = ['--import', 'tsx', 'codegen/pack/main.ts', 'keyslot', '--out', out];
  const { stdout } = await run(NODE, pack, { cwd: ROOT });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', stdout.trim()];
  await run('npm', npm, { cwd: folder, env });
  await rm(out, { recursive: true, force: true });
}, DEADLINE_MS);

afterAll(async () => {
  for (const end of running) end();
  await rm(folder, { recursive: true, force: true });
});

const npx = (...args: readonly string[]) => ['--no-install', 'keyslot', ...args];

/** Starts a command that runs until it is stopped, and waits for the line of JSON that it prints when it is ready. */
async function start(...args: readonly string[]) {
  const child = spawn('npx', npx(...args), {
    ...{ cwd: folder, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const { pid } = child;
  if (pid === undefined) throw new Error('npx does not start');
  running.push(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
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
    { timeoutMs: 120_000 },
  );
  /** Signals npx alone, as a user who knows no other process does; all that hold its output end with it. */
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ready: JSON.parse(line) as Readonly<Record<string, unknown>>, stop };
}

const isServed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

test('tells its version', async () => {
  const { stdout } = await run('npx', npx('--version'), { cwd: folder, env });
  expect(stdout).toBe(`keyslot ${String(manifest.version)}\n`);
});

test('has the dependencies of the checkout at their versions, and nothing that is only for development', async () => {
  const path = join(folder, 'node_modules/keyslot/package.json');
  const packed = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  expect(packed.dependencies).toEqual(manifest.dependencies);
  expect(packed.devDependencies).toBeUndefined();
  const tree = await run('npm', ['ls', '--json', '--all', 'fastify'], { cwd: folder, env });
  expect([...new Set(tree.stdout.match(/(?<="fastify": \{\s*"version": ")[^"]+/g))]).toEqual([
    (manifest.dependencies as Record<string, string>).fastify,
  ]);
  const files = await filesOfPackage();
  expect(files).toEqual(expect.arrayContaining(['src/main.js', 'bin/keyslot.js', 'LICENSE']));
  expect(files.filter((file) => /^(src|generated|runtime)\/.*\.tsx?$/.test(file))).toEqual([]);
  expect(files.filter((file) => file.startsWith('src/dashboard'))).toEqual([]);
});

test(
  'serves, is held to its contract, and stops',
  async () => {
    const before = await filesOfPackage();
    const server = await start('serve', '--json', '--http-port', '0', '--grpc-port', '0');
    const access = JSON.parse(await readFile(join(folder, '.keyslot/dev.json'), 'utf8')) as Record<
      string,
      string
    >;
    const { base_url: base = '', rpc_path: path = '', api_key: key = '', access_token: token = '' } = access;
    const rpcUrl = `${base}${path}?apikey=${key}`;
    expect(await call({ rpcUrl }, 'getHealth')).toBe('ok');
    for (const custody of ['managed', 'client']) {
      const created = await fetch(`${base}/v1/wallets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ custody }),
      });
      expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ custody })]);
    }
    const page = await Promise.all(
      ['/docs', '/docs/viewer.js', '/docs/ledger.json', '/dashboard'].map((each) => fetch(`${base}${each}`)),
    );
    expect(page.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const contract = ['contract', '--url', rpcUrl, '--ws', '--grpc', access.grpc_url ?? '', '--token', token];
    const held = await run('npx', npx(...contract), { cwd: folder, env });
    expect(held.stdout).toMatch(/ methods: holds \d+, differs 0/);
    await server.stop();
    expect(await isServed(`${base}/readyz`)).toBe(false);
    expect(await filesOfPackage()).toEqual(before);
  },
  DEADLINE_MS,
);

test('mocks the ledger and the streams', async () => {
  const mock = await start('mock', '--json', '--port', '0');
  expect(await call({ rpcUrl: String(mock.ready.url) }, 'getHealth')).toBe('ok');
  await mock.stop();
  expect(await isServed(String(mock.ready.url))).toBe(false);
});

test('is the embedded ledger alone', async () => {
  const ledger = await start('localnet', '--json', '--rpc-port', '0');
  const rpcUrl = `http://127.0.0.1:${String(ledger.ready.port)}`;
  expect(await call({ rpcUrl }, 'getHealth')).toBe('ok');
  await ledger.stop();
  expect(await isServed(rpcUrl)).toBe(false);
});

test('says what a run that writes needs where it is missing', async () => {
  const ledger = await start('localnet', '--json', '--rpc-port', '0');
  const url = `http://127.0.0.1:${String(ledger.ready.port)}`;
  const writing = run('npx', npx('contract', '--url', url, '--allow-writes'), { cwd: folder, env });
  await expect(writing).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('npm install @solana/web3.js@1 @solana/spl-token@0.4'),
  });
  await ledger.stop();
});
