import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Imports a file of src/ in a process of its own, and prints the packages of which that loads files, and the modules of Node. */
const PRINT = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  await import(process.env.KEYSLOT_TEST_FILE);
  console.log(JSON.stringify({ packages: [...packages], modules: process.moduleLoadList }));
  process.exit();
`;

type Loaded = { readonly packages: readonly string[]; readonly modules: readonly string[] };

function load(file: string): Loaded {
  const env = { ...process.env, KEYSLOT_TEST_FILE: new URL(`../../src/${file}`, import.meta.url).href };
  const args = ['--input-type=module', '--eval', PRINT];
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' })) as Loaded;
}

/** ws takes it where it is installed, as for development. */
const FASTER_WEBSOCKETS = ['bufferutil', 'node-gyp-build'];

test('the command line loads no package', () => {
  expect(load('cli/run-command-line.ts').packages).toEqual([]);
});

test('the embedded ledger loads its runtime, keys and WebSockets, and not the fetch of Node', () => {
  const { packages, modules } = load('localnet/main.ts');
  const own = packages.filter((name) => !FASTER_WEBSOCKETS.includes(name) && !name.startsWith('litesvm-'));
  expect(own.sort()).toEqual(['@noble/ed25519', '@scure/base', 'litesvm', 'ws']);
  expect(modules.filter((name) => name.includes('undici'))).toEqual([]);
});

test('a gateway opens its store and starts its children before it loads what serves, and never the fetch of Node', () => {
  const first = load('serve/app.ts');
  const later = ['@bufbuild/protobuf', '@grpc/grpc-js', 'fastify', 'otpauth', 'standardwebhooks'];
  expect(first.packages.filter((name) => later.includes(name))).toEqual([]);
  const all = load('serve/start-serving.ts');
  expect(all.packages).toEqual(expect.arrayContaining(later));
  const few = ['@opentelemetry/sdk-trace', '@redis/client', 'ajv', 'litesvm', 'nodemailer', 'yaml'];
  expect(all.packages.filter((name) => few.includes(name))).toEqual([]);
  expect([...first.modules, ...all.modules].filter((name) => name.includes('undici'))).toEqual([]);
});
