import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageManifest from '../../package.json' with { type: 'json' };
import { freePortPair } from '../support/free-port-pair.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { processesBelow } from '../support/processes.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../support/redis.ts';
import { ROOT } from '../support/source-files.ts';
import { debianMissing, debianTar, inRoot, runProgram, startServer } from './debian-root.ts';
import { deployPath } from './deploy-files.ts';

const MISSING = debianMissing(['buildah']);
const postgres = await findPostgres();
const redis = await findRedis();
const DEADLINE_MS = 1_800_000;
const USER = 10_001;
/** As Docker's: it kills what has not ended by then. */
const GRACE_MS = 10_000;
const MOST_MB = 350;
const MAIN = '/opt/keyslot/node_modules/keyslot/src/main.js';

type Inspected = {
  readonly Docker: {
    readonly config: {
      readonly Labels: Readonly<Record<string, string>>;
      readonly Env: readonly string[];
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
      readonly Healthcheck: { readonly Test: readonly string[] };
    };
  };
};

describe.skipIf(MISSING !== undefined)(`the image${MISSING === undefined ? '' : ` (${MISSING})`}`, () => {
  let folder = '';
  let port = 0;
  const at = (name: string): string => join(folder, name);
  const program = () => {
    const storage = ['--root', at('storage'), '--runroot', at('run'), '--storage-driver', 'overlay'];
    return ['buildah', ...storage];
  };
  const buildah = (...args: readonly string[]): string => runProgram([...program(), ...args]).trim();
  const settings = () => [`KEYSLOT_HTTP_PORT=${port}`, 'KEYSLOT_GRPC_PORT=0'];
  /** A command in the container, with its volume. */
  const inContainer = (command: readonly string[], variables: readonly string[] = []) => [
    ...[...program(), 'run', '--isolation', 'chroot', '--volume', `${at('volume')}:/var/lib/keyslot`],
    ...[...settings(), ...variables].flatMap((pair) => ['--env', pair]),
    ...['keyslot-test', '--', ...command],
  ];
  const keyslot = (...args: readonly string[]): string => runProgram(inContainer(['node', MAIN, ...args]));
  const config = () => (JSON.parse(buildah('inspect', 'keyslot-test')) as Inspected).Docker.config;

  beforeAll(async () => {
    // Debian's buildah keeps layers on what is below this folder.
    folder = mkdtempSync(join(tmpdir(), 'keyslot-image-'));
    makeBase(await debianTar());
    // The way to the registry is that of this machine.
    const npm = (name: string): string => runProgram(['npm', 'config', 'get', name]).trim();
    const isSet = (value: string): boolean => !['', 'null', 'undefined'].includes(value);
    const network = ['registry', 'proxy', 'https-proxy'].filter((name) => isSet(npm(name)));
    const mounts = [`${at('npmrc')}:/usr/local/etc/npmrc:ro`, `${npm('cache')}:/root/.npm`];
    const lines = network.map((name) => `${name}=${npm(name)}`);
    if (isSet(npm('cafile'))) {
      mounts.push(`${npm('cafile')}:/run/certificates.pem:ro`);
      lines.push('cafile=/run/certificates.pem');
    }
    writeFileSync(at('npmrc'), [...lines, 'prefer-offline=true', ''].join('\n'));
    // npm opens more files than the 1,024 that buildah allows.
    const args = [
      ...[
        '--isolation',
        'chroot',
        '--ulimit',
        `nofile=${runProgram(['sh', '-c', 'ulimit -Hn']).trim()}`,
        '--format',
        'docker',
        '--ignorefile',
        deployPath('Containerfile.dockerignore'),
      ],
      ...['BUILD_IMAGE', 'BASE_IMAGE'].flatMap((name) => ['--build-arg', `${name}=localhost/base`]),
      ...mounts.flatMap((mount) => ['--volume', mount]),
    ];
    const engine = [`ENGINE=${program().join(' ')}`, `ARGS=${args.join(' ')}`];
    runProgram(['make', '-C', fileURLToPath(ROOT), 'image', ...engine]);
    buildah('from', '--name', 'keyslot-test', 'localhost/keyslot');
    mkdirSync(at('volume'));
    runProgram(['cp', '-a', `${buildah('mount', 'keyslot-test')}/var/lib/keyslot/.`, at('volume')]);
    port = await freePortPair();
  }, DEADLINE_MS);
  afterAll(() => {
    if (folder === '') return;
    buildah('rm', '--all');
    rmSync(folder, { recursive: true, force: true });
  });

  /** An image with the pinned Node, the npm of this machine and what compiles, in place of those of Node's makers. */
  function makeBase(tar: string): void {
    const cli = runProgram(['sh', '-c', 'realpath "$(command -v npm)"']).trim();
    const npm = dirname(dirname(cli));
    const nodedir = runProgram(['npm', 'config', 'get', 'nodedir']).trim();
    const headers = [nodedir, join(npm, '../../..')].map((path) => join(path, 'include/node'));
    buildah('from', '--name', 'base', 'scratch');
    buildah('add', 'base', tar, '/');
    cpSync(fileURLToPath(new URL('node_modules/node/bin/node', ROOT)), at('node'));
    buildah('copy', 'base', at('node'), '/usr/local/bin/node');
    buildah('copy', 'base', npm, '/usr/local/lib/node_modules/npm');
    buildah('copy', 'base', headers.find(existsSync) ?? '', '/usr/local/include/node');
    const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';
    buildah('run', '--isolation', 'chroot', 'base', '--', 'sh', '-c', link);
    buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', 'base');
    buildah('commit', '--quiet', '--rm', 'base', 'localhost/base');
  }

  /** Starts the image's command as its user. `command` runs it. */
  async function serve(command: readonly string[]) {
    const server = await startServer(command, process.env);
    const own = processesBelow(server.pid).filter(({ uid }) => uid === USER);
    const node = own.find(({ command: line }) => line.includes(`${MAIN} serve`));
    const stop = async () => {
      const begun = performance.now();
      await server.stop(node?.pid ?? 0);
      return performance.now() - begun;
    };
    return { ready: server.ready, own, stop };
  }

  const start = (variables: readonly string[] = []) => {
    const { Entrypoint, Cmd } = config();
    return serve(inContainer([...Entrypoint, ...Cmd, '--json'], variables));
  };

  const post = async (token: string, path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> };
  };
  const access = () =>
    JSON.parse(readFileSync(at('volume/dev.json'), 'utf8')) as Readonly<Record<string, string>>;
  let wallet = '';
  const sign = () => post(access().access_token ?? '', `/wallets/${wallet}/sign`, { message: 'aGVsbG8=' });

  test('tells version and revision, and adds little to its base', () => {
    expect(config().Labels).toMatchObject({
      'org.opencontainers.image.version': packageManifest.version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}/),
    });
    const mounted = buildah('mount', 'keyslot-test');
    const mb = Number.parseInt(runProgram(['du', '-sm', join(mounted, 'opt/keyslot')]), 10);
    console.log(`The layers of the image above its base: ${mb} MB`);
    expect(mb).toBeLessThanOrEqual(MOST_MB);
  });

  test(
    'serves every protocol as its user, without a shell, keeps its data over a restart, and backs up',
    async () => {
      for (const shell of ['sh', 'bash', 'dash'])
        rmSync(join(buildah('mount', 'keyslot-test'), 'usr/bin', shell), { force: true });
      const first = await start();
      expect(first.own.length).toBeGreaterThan(1);
      const { rpc_path: path, api_key: key, access_token: token = '', grpc_url: grpc = '' } = access();
      const url = `http://127.0.0.1:${port}${path}?apikey=${key}`;
      const held = keyslot('contract', '--url', url, '--ws', '--grpc', grpc, '--token', token);
      expect(held).toMatch(/ methods: holds \d+, differs 0/);
      const [kind, ...check] = config().Healthcheck.Test;
      expect(kind).toBe('CMD');
      expect(runProgram(inContainer(check))).toBe('');
      const created = await post(token, '/wallets', { custody: 'managed' });
      expect(created.status).toBe(201);
      wallet = created.body.wallet_id ?? '';
      const signed = await sign();
      expect(await first.stop()).toBeLessThan(GRACE_MS);
      expect(() => runProgram(inContainer(check))).toThrow();

      // As the commands of docs/operate.md start it. A contract run would find cookies of sessions that only HTTPS has.
      const second = await start(['KEYSLOT_HTTP_HOST=0.0.0.0', 'KEYSLOT_BEHIND_PROXY=1']);
      expect(await sign()).toEqual(signed);
      const [recipient = ''] = /age1\w+/.exec(keyslot('backup', 'key', '/var/lib/keyslot/key.txt')) ?? [];
      keyslot('backup', 'create', '/var/lib/keyslot/all.age', '--recipient', recipient);
      const verify = ['/var/lib/keyslot/all.age', '--key', '/var/lib/keyslot/key.txt'];
      keyslot('backup', 'verify', ...verify);
      expect(await second.stop()).toBeLessThan(GRACE_MS);
    },
    DEADLINE_MS,
  );

  const services = [postgres === undefined && POSTGRES_MISSING, redis === undefined && REDIS_MISSING];
  const absent = services.filter((reason) => reason !== false).join('; ');
  test.skipIf(absent !== '')(
    `serves from PostgreSQL and Redis with a root that is read-only${absent === '' ? '' : ` (${absent})`}`,
    async () => {
      const database = await createDatabase(postgres ?? '');
      try {
        const { Entrypoint, Cmd, Env } = config();
        mkdirSync(at('shared'));
        runProgram(['chown', `${USER}:${USER}`, at('shared')]);
        const mounts = `mount --bind "$0" "$0"
mount -o remount,bind,ro "$0"
mount --bind '${at('shared')}' "$0/var/lib/keyslot"
mount -t tmpfs tmpfs "$0/tmp"`;
        const shared = [
          `KEYSLOT_DATABASE_URL=${database.url}`,
          `KEYSLOT_REDIS_URL=${redis}`,
          `KEYSLOT_REDIS_PREFIX=${uniquePrefix()}`,
        ];
        const identity = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
        const variables = ['env', '-i', ...Env, ...settings(), ...shared];
        const command = [...identity, ...variables, ...Entrypoint, ...Cmd, '--json'];
        const server = await serve(inRoot(buildah('mount', 'keyslot-test'), command, mounts));
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        expect([answer.status, await answer.json()]).toEqual([
          200,
          expect.objectContaining({ status: 'ready' }),
        ]);
        const { access_token: token = '' } = JSON.parse(
          readFileSync(at('shared/dev.json'), 'utf8'),
        ) as Readonly<Record<string, string>>;
        expect((await post(token, '/wallets', { custody: 'managed' })).status).toBe(201);
        expect(await server.stop()).toBeLessThan(GRACE_MS);
      } finally {
        await database.drop();
      }
    },
    DEADLINE_MS,
  );
});
