import { WALLETS } from '../../codegen/model/rest/service.ts';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatFiles } from '../../codegen/format.ts';
import { readRest } from '../../codegen/model/rest/rest.ts';
import { renderRegister } from '../../codegen/render/rest/handlers.ts';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import { pathHere } from './fixture.ts';
import { specSources } from './spec.ts';

const run = promisify(execFile);
const operations = Object.keys(OPERATIONS);
let folder = '';

/** The compiler's output for the register, with these operations written. */
const compile = async (written: readonly string[], body: string): Promise<string> => {
  const files = {
    ...formatFiles(renderRegister(readRest(specSources(), WALLETS))),
    '../src/wallets/wallet-context.ts': 'export type WalletContext = { readonly name: string };\n',
    ...Object.fromEntries(
      written.map((id) => [
        `../src/wallets/operations/${id}.ts`,
        `import type { WalletContext } from '../wallet-context.ts';\nimport type { WalletHandler } from '../../../generated/wallets/handlers.ts';\nexport const ${id}: WalletHandler<WalletContext, '${id}'> = async () => ${body};\n`,
      ]),
    ),
  };
  await rm(join(folder, 'src'), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'generated', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const compiler = pathHere('../../node_modules/tsgo/bin/tsc');
  return await run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wallet-register-'));
  await mkdir(join(folder, 'generated/wallets'), { recursive: true });
  for (const path of ['runtime', 'node_modules'])
    await symlink(pathHere(`../../${path}`), join(folder, path));
  for (const path of [
    'wallets/handlers.ts',
    'wallets/operations.ts',
    'wallets/types.ts',
    'wallets/contract.ts',
  ])
    await symlink(pathHere(`../../generated/${path}`), join(folder, 'generated', path));
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    types: [],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    preserveSymlinks: true,
    skipLibCheck: true,
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['generated/wallets/wallet-handlers.ts'] }),
  );
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('compiles when every operation has its file', async () => {
  expect(await compile(operations, 'Promise.reject(new Error())')).toBe('');
});

it('has the compiler name the one source file that is missing', async () => {
  const text = await compile(
    operations.filter((id) => id !== 'getWallet'),
    'Promise.reject(new Error())',
  );
  expect(text).toMatch(/Cannot find module '..\/..\/src\/wallets\/operations\/getWallet.ts'/);
  expect(text.match(/error TS/g)).toHaveLength(1);
});

it('has the compiler refuse an answer that is not the operation’s', async () => {
  expect(await compile(operations, "({ kind: 'json', body: { wallet: 1 } })")).toMatch(/error TS2322/);
});
