import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** Most of the time goes to the suites, which start servers. */
vi.setConfig({ testTimeout: 1_800_000 });

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = import.meta.dirname;
const TREE = ['spec', 'runtime', 'codegen', 'generated', 'src', 'test', 'docs'];
const FILES = ['biome.json', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'README.md', 'Makefile'];

/** The suites whose expectations are about all methods, operations or topics. */
const SUITES = [
  'test/codegen/given.test.ts',
  'test/codegen/openapi.test.ts',
  'test/codegen/openrpc.test.ts',
  'test/codegen/readme.test.ts',
  'test/devkit/contract/ledger.contract.test.ts',
  'test/devkit/contract/stream-command.slow.test.ts',
  'test/devkit/contract/wallet-command.slow.test.ts',
  'test/clients/kit/every-method.test.ts',
  'test/clients/web3js/every-method.test.ts',
  'test/clients/packed/packed.slow.test.ts',
  'test/devkit/mock',
  'test/server/grpc',
  'test/gateway/streams/topics.test.ts',
  'test/wallets/mock.slow.test.ts',
];

/** Other files of this run are next to it. */
const ONE_WORKER = '--maxWorkers=1';

let tree = '';
const inTree = (path: string): string => join(tree, path);

/** Runs a program of the tree; what it prints, and its exit code. */
const node = async (
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> => {
  const kept = Object.entries(process.env).filter(([name]) => !isOfThisRun(name));
  const env = { ...Object.fromEntries(kept), KEYSLOT_TEST_TIER: 'all' };
  return await run(process.execPath, args, { cwd: tree, env, maxBuffer: 64 * 1024 ** 2 }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      text: stdout + stderr,
    }),
  );
};
const isOfThisRun = (name: string): boolean =>
  name.startsWith('VITEST') || ['CI', 'KEYSLOT_TEST_REPORT'].includes(name);

const compile = async (): Promise<readonly string[]> =>
  (await node('node_modules/tsgo/bin/tsc', '-p', '.')).text.match(/^.*error TS.*$/gm) ?? [];

/** The files whose absence the compiler reports, from the root of the tree. */
const missingIn = (errors: readonly string[]): readonly string[] =>
  errors.map((line) => {
    const [, from, to] = /^([^(]+)\(.*error TS2307: Cannot find module '([^']+)'/.exec(line) ?? [];
    if (from === undefined || to === undefined)
      throw new Error(`the compiler reports something else: ${line}`);
    return join(dirname(from), to);
  });

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'one-of-each-'));
  for (const path of [...TREE, ...FILES]) await cp(join(ROOT, path), inTree(path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), inTree('node_modules'));
  await cp(join(HERE, 'spec'), inTree('spec'), { recursive: true });
});
afterAll(() => rm(tree, { recursive: true, force: true }));

test('a new method, operation and topic take their documents, the handlers that the compiler asks for, and nothing else', async () => {
  const generated = await node('--import', 'tsx', 'codegen/main.ts');
  expect(generated.code, generated.text).toBe(0);

  const missing = missingIn(await compile());
  const handlers = (await readdir(join(HERE, 'handlers'))).map((file) => file.replace(/\.txt$/, ''));
  expect(missing.map((path) => basename(path)).sort()).toEqual(handlers.sort());
  for (const path of missing) await cp(join(HERE, 'handlers', `${basename(path)}.txt`), inTree(path));
  expect(await compile()).toEqual([]);

  const { code, text } = await node('node_modules/vitest/vitest.mjs', 'run', ONE_WORKER, ...SUITES);
  expect(code, text.slice(-20_000)).toBe(0);
});
