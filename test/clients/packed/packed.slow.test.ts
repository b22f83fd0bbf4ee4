import { execFile } from 'node:child_process';
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { fundedSigner, land, openKit, transfer } from '../kit/version-1.ts';
import { gateway } from '../targets.ts';
import { installClient, NODE, ROOT } from '../../support/install-client.ts';

const run = promisify(execFile);
const COMPILER = join(ROOT, 'node_modules/tsgo/bin/tsc');

let folder = '';
const installed = (path: string): string => join(folder, 'node_modules/@keyslot/client', path);

beforeAll(async () => {
  folder = await installClient();
  await copyFile(new URL('program.ts', import.meta.url), join(folder, 'program.ts'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The compiler's errors in the program with these options and strict. */
async function check(options: Readonly<Record<string, unknown>>): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, target: 'es2024', skipLibCheck: false, ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  return await run(NODE, [COMPILER, '-p', '.'], { cwd: folder }).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );
}

const withNodeTypes = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

test('the package says what it is, and depends on nothing but what ./stream and ./localnet ask their users for', async () => {
  const manifest = JSON.parse(await readFile(installed('package.json'), 'utf8')) as Record<string, unknown>;
  const root = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ name: '@keyslot/client', version: root.version, license: 'Apache-2.0' });
  expect(Object.keys(manifest).filter((member) => /dependencies|scripts/i.test(member))).toEqual([
    'peerDependencies',
    'peerDependenciesMeta',
  ]);
  expect(manifest.peerDependenciesMeta).toEqual({
    '@bufbuild/protobuf': { optional: true },
    '@grpc/grpc-js': { optional: true },
    litesvm: { optional: true },
  });
  expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
    '@keyslot',
  ]);
  expect(await readFile(installed('README.md'), 'utf8')).toContain('# @keyslot/client');
});

const STREAM_PEERS = /^@(grpc\/grpc-js|bufbuild\/protobuf\/wire)$/;

/** The embedded ledger is one file, and has declarations for its users alone. */
const LOCALNET = 'src/localnet/start-localnet.js';
const OPTIONS_OF_LOCALNET = 'src/localnet/start-options.d.ts';

test('the embedded ledger imports nothing but its peers and Node, and names the licences of what is in it', async () => {
  const text = await readFile(installed(`lib/${LOCALNET}`), 'utf8');
  const imports = [...text.matchAll(/^import\b[^;]* from "([^"]+)";|\bimport\("([^"]+)"\)/gm)];
  const foreign = imports
    .map(([, from, dynamic]) => from ?? dynamic ?? '')
    .filter((name) => !isBuiltin(name));
  expect([...new Set(foreign)].sort()).toEqual(['litesvm/dist/internal.js']);
  const licences = await readFile(installed('THIRD-PARTY.txt'), 'utf8');
  expect(licences.match(/^(@(noble\/ed25519|scure\/base)|ws)$/gm)).toEqual([
    '@noble/ed25519',
    '@scure/base',
    'ws',
  ]);
});

test('it is JavaScript with types, and imports nothing but itself, but for the client of streams', async () => {
  const files = (await readdir(installed('lib'), { recursive: true })).filter((path) => path.includes('.'));
  const scripts = files.filter((path) => path.endsWith('.js'));
  expect(scripts).toEqual(
    expect.arrayContaining([
      ...['generated/ledger/package.js', 'generated/wallets/package.js', 'generated/account/package.js'],
    ]),
  );
  expect(files.filter((path) => !scripts.includes(path)).sort()).toEqual(
    [...scripts.map((path) => path.replace(/\.js$/, '.d.ts')), OPTIONS_OF_LOCALNET].sort(),
  );
  for (const file of files.filter((path) => path !== LOCALNET)) {
    const text = await readFile(installed(`lib/${file}`), 'utf8');
    const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, to]) => to);
    const foreign = imports.filter((to) => !/^(\.\/|(\.\.\/){1,2})[\w/-]+\.js$/.test(to ?? ''));
    const isOfStreams = /^(generated\/stream\/|runtime\/stream-)/.test(file);
    expect([file, foreign.filter((to) => !isOfStreams || !STREAM_PEERS.test(to ?? ''))]).toEqual([file, []]);
  }
});

test('an entry without what it needs says so in a sentence, with the Node of the manifest', async () => {
  const failure = async (name: string, ...flags: readonly string[]): Promise<string> => {
    const program = `await import('@keyslot/client/${name}').catch(({ message }) => console.log(message));`;
    const { stdout } = await run(NODE, [...flags, '--input-type=module', '--eval', program], { cwd: folder });
    return stdout.trim();
  };
  const { peerDependencies: peers, engines } = JSON.parse(
    await readFile(installed('package.json'), 'utf8'),
  ) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly engines: unknown;
  };
  const grpc = `@grpc/grpc-js@${peers['@grpc/grpc-js']} @bufbuild/protobuf@${peers['@bufbuild/protobuf']}`;
  expect(await failure('stream')).toBe(
    `@keyslot/client/stream needs packages that are not installed: npm install ${grpc}`,
  );
  expect(await failure('localnet')).toBe(
    `@keyslot/client/localnet needs packages that are not installed: npm install litesvm@${peers.litesvm}`,
  );
  const older = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.14.0' })`;
  const said = await failure('localnet', '--import', older);
  expect(said).toBe('@keyslot/client/localnet needs Node 22.15 or newer, and this is Node 22.14.0');
  expect(engines).toEqual({ node: '>=20' });
  const readme = await readFile(installed('README.md'), 'utf8');
  expect(readme).toContain('A ledger for tests (Node 22.15 or newer)');
  expect(readme).toContain('They run in Node 20 or newer');
});

test.each([
  ['Node', { module: 'nodenext', lib: ['es2024'] }],
  ['a bundler', { module: 'preserve', lib: ['es2024', 'dom'] }],
])('a program type-checks under strict as one for %s', async (_, options) => {
  expect(await check({ ...options, ...withNodeTypes })).toBe('');
});

test('the types of the package need no types of Node', async () => {
  const found = await check({ module: 'nodenext', lib: ['es2024', 'dom'], types: [] });
  expect(found.match(/^.*error TS.*$/gm)?.map((line) => line.replace(/\(.*?\)/, ''))).toEqual([
    expect.stringMatching(/^program\.ts: error TS\d+: Cannot find name 'process'/),
  ]);
});

test('the client of streams works where its peers are installed, in JavaScript', async () => {
  for (const peer of ['@grpc/grpc-js', '@grpc/proto-loader', '@js-sdsl/ordered-map', '@bufbuild/protobuf']) {
    await cp(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer), { recursive: true });
  }
  const address = new URL(inject('rpcUrl'));
  const program = `import { createStreamClient, TOPICS } from '@keyslot/client/stream';
    const client = createStreamClient({ url: '${inject('grpcUrl')}', apiKey: '${address.searchParams.get('apikey')}' });
    for await (const { slot, parentSlot } of client.subscribe('slots')) {
      console.log(typeof slot, slot > parentSlot, Object.keys(TOPICS).length);
      break;
    }
    client.close();`;
  await writeFile(join(folder, 'streams.js'), program);
  const { stdout } = await run(NODE, ['streams.js'], { cwd: folder });
  expect(stdout).toBe(`bigint true ${Object.keys(TOPICS).length}\n`);
});

test('the program works against a server: exact integers, and errors by their names', async () => {
  const address = new URL(inject('rpcUrl'));
  const apiKey = address.searchParams.get('apikey') ?? '';
  address.search = '';
  const clients = openKit(gateway);
  const payer = await fundedSigner(clients);
  const limits = { priorityFeeLamports: 5n };
  const { signature } = await land(clients, payer, [transfer(payer, payer.address, 1n)], limits);
  const { stdout } = await run(NODE, ['program.ts', address.href, apiKey, signature], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    key: ['same-origin', 'checkout'],
    slot: 'bigint',
    lamports: '1',
    rentEpoch: '18446744073709551615',
    notAnAddress: expect.any(String),
    version: 1,
    limits: ['5', 'number', null],
    notReadable: 'transactionVersionNotSupported',
    parent: 'bigint',
    notAFilter: 'invalidType',
    tooWide: 'slotRangeTooLarge',
    tooWideCode: -32602,
    wrongKey: 'apiKeyUnknown',
    wallets: ['managed w_1', 'client undefined'],
    available: 500,
  });
});
