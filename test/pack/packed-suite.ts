import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call } from '../../src/devkit/contract/json-rpc.ts';
import packageManifest from '../../package.json' with { type: 'json' };
import { type PackedKeyslot, runPacked, startPacked } from '../support/packed-keyslot.ts';

const DEADLINE_MS = 600_000;

/**
 * Packages that a server without tracing, mail, Redis, backups, a token and a configuration file does not need, nor the gateway the runtime
 * of the ledger; and those that Fastify loads for schemas, of which there are none.
 */
const USED_BY_FEW = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-http',
  '@redis/client',
  'age-encryption',
  'ajv',
  'litesvm',
  'micro-key-producer',
  'nodemailer',
  'pkcs11js',
  'yaml',
];

/** Notes in the file NOTED_PACKAGES of which packages the gateway loads files. */
const NOTE_PACKAGES = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
const seen = new Set();
if (isMainThread && /keyslot/.test(process.argv[1]) && process.argv[2] === 'serve')
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1];
      if (name !== undefined && !seen.has(name)) appendFileSync(process.env.NOTED_PACKAGES, name + '\\n');
      seen.add(name);
      return next(url, context);
    },
  });`;

const isServed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** The promises of the package, in an installation of it. */
export function packedSuite(open: () => PackedKeyslot): void {
  const filesOfPackage = (): Promise<string[]> =>
    readdir(join(open().folder, 'node_modules/keyslot'), { recursive: true });

  test('tells its version, on the Node that runs it', async () => {
    const { stdout } = await runPacked(open(), '--version');
    expect(stdout).toBe(`keyslot ${packageManifest.version}\n`);
  });

  test('refuses an older Node in a sentence', async () => {
    const { folder, node } = open();
    const older = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.14.0' })`;
    const args = ['--import', older, join(folder, 'node_modules/keyslot/bin/keyslot.js'), '--version'];
    expect(spawnSync(node, args, { encoding: 'utf8' })).toMatchObject({
      status: 2,
      stderr: `keyslot: Node 22.15 or newer is needed, and ${realpathSync(node)} is Node 22.14.0\n`,
    });
  });

  test('has the dependencies of the checkout at their versions but for Node, and nothing that is only for development', async () => {
    const path = join(open().folder, 'node_modules/keyslot/package.json');
    const packed = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    const { node: _pinned, ...dependencies } = packageManifest.dependencies;
    expect(packed.dependencies).toMatchObject(dependencies);
    expect(packed.dependencies).not.toHaveProperty('node');
    expect(packed.engines).toEqual({ node: '>=22.15' });
    expect(packed.devDependencies).toBeUndefined();
    const files = await filesOfPackage();
    expect(files).toEqual(expect.arrayContaining(['src/main.js', 'bin/keyslot.js', 'LICENSE']));
    expect(files.filter((file) => /^(src|generated|runtime)\/.*\.tsx?$/.test(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith('src/dashboard'))).toEqual([]);
  });

  test('has the empty store that new data directories are copied from', () => {
    const { folder, node } = open();
    const file = join(folder, 'node_modules/keyslot/src/store/pglite/empty-store.js');
    const print = `import(${JSON.stringify(file)}).then((loaded) => console.log(loaded.emptyStorePath()))`;
    const { stdout } = spawnSync(node, ['--eval', print], { encoding: 'utf8' });
    expect(statSync(stdout.trim()).size).toBeLessThan(6 * 2 ** 20);
  });

  test('has a list of what it installs', async () => {
    const bom = JSON.parse(await readFile(join(open().folder, 'sbom.json'), 'utf8')) as {
      readonly metadata: { readonly component: { readonly name: string } };
      readonly components: readonly { readonly purl: string }[];
    };
    expect(bom.metadata.component.name).toBe('keyslot');
    const names = bom.components.map(({ purl }) =>
      decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]*$/g, ''),
    );
    expect(names).toEqual(expect.arrayContaining(['fastify', '@ts-rest/fastify', 'litesvm', 'pkcs11js']));
    const leftOut = ['node', 'vitest', '@solana/kit', '@grpc/proto-loader'];
    expect(names.filter((name) => leftOut.includes(name))).toEqual([]);
  });

  test(
    'serves, is held to its contract, loads nothing that few need, backs up and stops',
    async () => {
      const { folder } = open();
      const before = await filesOfPackage();
      const [hook, noted] = [join(folder, 'note-packages.mjs'), join(folder, 'packages.txt')];
      await writeFile(hook, NOTE_PACKAGES);
      await writeFile(noted, '');
      const server = await startPacked(open(), ['serve', '--json', '--http-port', '0', '--grpc-port', '0'], {
        NODE_OPTIONS: `--import ${hook}`,
        NOTED_PACKAGES: noted,
      });
      const access = JSON.parse(await readFile(join(folder, '.keyslot/dev.json'), 'utf8')) as Record<
        string,
        string
      >;
      const {
        base_url: base = '',
        rpc_path: path = '',
        api_key: key = '',
        access_token: token = '',
        grpc_url: grpc = '',
      } = access;
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
        ['/docs', '/docs/ledger/getBalance', '/docs/wallets.json', '/dashboard'].map((each) =>
          fetch(`${base}${each}`),
        ),
      );
      expect(page.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const loaded = (await readFile(noted, 'utf8')).split('\n');
      expect(loaded).toContain('pino');
      expect(loaded.filter((name) => USED_BY_FEW.includes(name))).toEqual([]);
      const contract = ['--url', rpcUrl, '--ws', '--grpc', grpc, '--token', token];
      const held = await runPacked(open(), 'contract', ...contract);
      expect(held.stdout).toMatch(/ methods: holds \d+, differs 0/);
      const { stdout: recipient } = await runPacked(open(), 'backup', 'key', join(folder, 'key.txt'));
      const [to = ''] = /age1\w+/.exec(recipient) ?? [];
      await runPacked(open(), 'backup', 'create', join(folder, 'all.age'), '--recipient', to);
      await server.stop();
      expect(await isServed(`${base}/readyz`)).toBe(false);
      expect(await filesOfPackage()).toEqual(before);
    },
    DEADLINE_MS,
  );

  test('mocks the ledger and the streams', async () => {
    const mock = await startPacked(open(), ['mock', '--json', '--port', '0']);
    expect(await call({ rpcUrl: String(mock.ready.url) }, 'getHealth')).toBe('ok');
    await mock.stop();
    expect(await isServed(String(mock.ready.url))).toBe(false);
  });

  test('is the embedded ledger alone, and says what a run that writes needs where it is missing', async () => {
    const ledger = await startPacked(open(), ['localnet', '--json', '--rpc-port', '0']);
    const rpcUrl = `http://127.0.0.1:${String(ledger.ready.port)}`;
    expect(await call({ rpcUrl }, 'getHealth')).toBe('ok');
    const writing = runPacked(open(), 'contract', '--url', rpcUrl, '--allow-writes');
    await expect(writing).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm install @solana/web3.js@1 @solana/spl-token@0.4'),
    });
    await ledger.stop();
    expect(await isServed(rpcUrl)).toBe(false);
  });
}
