import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installClient, lendPackages, NODE, ROOT } from '../support/install-client.ts';
import { writeRecipes } from './recipe-files.ts';

const run = promisify(execFile);

let folder = '';
let recipes: readonly string[] = [];
beforeAll(async () => {
  folder = await installClient();
  await lendPackages(folder, ['litesvm', '@solana/kit', 'vitest']);
  recipes = await writeRecipes(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs test files with Vitest as a user does. @returns what it reports of each test. */
async function vitest(
  files: readonly string[],
  config = '',
): Promise<readonly (readonly [string, string])[]> {
  await writeFile(join(folder, 'vitest.config.js'), `export default { test: { ${config} } };`);
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', ...files];
  const { stdout } = await run(NODE, args, { cwd: folder });
  const { testResults } = JSON.parse(stdout) as {
    readonly testResults: readonly { assertionResults: readonly { title: string; status: string }[] }[];
  };
  return testResults.flatMap((file) =>
    file.assertionResults.map(({ title, status }) => [title, status] as const),
  );
}

test('docs/localnet.md has no recipe that is not run', () => {
  expect(recipes).toEqual([
    'airdrop.test.js',
    'localnet.setup.js',
    'localnet-environment.mjs',
    'balance.test.cjs',
  ]);
});

test('a ledger for each file, with Vitest', async () => {
  expect(await vitest(['airdrop.test.js'])).toEqual([['an airdrop arrives', 'passed']]);
});

const SHARED = `import { createSolanaRpc } from '@solana/kit';
import { expect, inject, test } from 'vitest';
test('it answers', async () => {
  expect(await createSolanaRpc(inject('localnetUrl')).getHealth().send()).toBe('ok');
});`;

test('one ledger for the run, with Vitest', async () => {
  for (const name of ['first.test.js', 'second.test.js']) await writeFile(join(folder, name), SHARED);
  const config = "globalSetup: ['./localnet.setup.js']";
  expect(await vitest(['first.test.js', 'second.test.js'], config)).toEqual([
    ['it answers', 'passed'],
    ['it answers', 'passed'],
  ]);
});

const FAKED = `import { startLocalnet } from '@keyslot/client/localnet';
import { createSolanaRpc } from '@solana/kit';
import { expect, test, vi } from 'vitest';
test('slots pass', async () => {
  vi.useFakeTimers({ now: 0 });
  await using localnet = await startLocalnet({ slotMs: 20 });
  const rpc = createSolanaRpc(localnet.rpcUrl);
  const slot = () => rpc.getSlot({ commitment: 'processed' }).send();
  const first = await slot();
  while ((await slot()) < first + 3n);
  expect(Number(await rpc.getBlockTime(first).send())).toBeGreaterThan(1_700_000_000);
});`;

test('fake timers and a faked date do not stop a ledger', async () => {
  await writeFile(join(folder, 'faked.test.js'), FAKED);
  expect(await vitest(['faked.test.js'])).toEqual([['slots pass', 'passed']]);
});

test('a program type-checks, and options that do not exist are no part of it', async () => {
  const program = `import { type Localnet, startLocalnet } from '@keyslot/client/localnet';
    await using localnet: Localnet = await startLocalnet({ slotMs: 20, warpSlot: 5n, account: [['-', 'a.json']] });
    const url: string = localnet.wsUrl;
    // @ts-expect-error it is slotMs
    await startLocalnet({ slotMS: 20 });
    export { url };`;
  await writeFile(join(folder, 'typed.ts'), program);
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024' };
  const types = { types: [], lib: ['es2024', 'esnext.disposable'] };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...types }, files: ['typed.ts'] }),
  );
  const { stdout } = await run(NODE, [join(ROOT, 'node_modules/tsgo/bin/tsc'), '-p', '.'], { cwd: folder });
  expect(stdout).toBe('');
});
