import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageManifest from '../../package.json' with { type: 'json' };
import { NODE, ROOT } from '../support/install-client.ts';
import { processesBelow } from '../support/processes.ts';
import { debianMissing, inRoot, runProgram, startServer, unpackDebian } from './debian-root.ts';

const MISSING = debianMissing(['dpkg-deb']);
const DEADLINE_MS = 900_000;
const MOST_MB = 80;
const NEXT = '99.0';
const SCOPES = ['wallets:create', 'wallets:read', 'wallets:sign'].flatMap((scope) => ['--scope', scope]);
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', DEBIAN_FRONTEND: 'noninteractive' };

describe.skipIf(MISSING !== undefined)(
  `the Debian package${MISSING === undefined ? '' : ` (${MISSING})`}`,
  () => {
    let out = '';
    let root = '';
    let deb = '';
    const at = (path: string): string => join(root, path);
    const chroot = (...command: readonly string[]): string => runProgram(inRoot(root, command), ENV);
    const install = (path: string): string => {
      cpSync(path, at('keyslot.deb'));
      return chroot('apt-get', 'install', '--yes', '--quiet', '/keyslot.deb');
    };
    const mode = (path: string) => {
      const { uid, gid, mode: bits } = statSync(at(path));
      return [uid, gid, (bits & 0o777).toString(8)];
    };

    beforeAll(async () => {
      out = mkdtempSync(join(tmpdir(), 'keyslot-deb-'));
      const pack = ['--import', 'tsx', 'codegen/pack/main.ts', 'debian', '--out', out];
      deb = runProgram(['env', '-C', ROOT, NODE, ...pack]).trim();
      root = await unpackDebian();
    }, DEADLINE_MS);
    afterAll(() => {
      for (const folder of [out, root]) if (folder !== '') rmSync(folder, { recursive: true, force: true });
    });

    /** Starts the server as its unit does, on free ports. */
    async function serve() {
      const unit = readFileSync(at('usr/lib/systemd/system/keyslot.service'), 'utf8');
      const values = (name: string): readonly string[] =>
        [...unit.matchAll(new RegExp(`^${name}=\\+?(.*)$`, 'gm'))].map(([, value = '']) => value);
      for (const line of values('ExecStartPre')) chroot(...line.split(' '));
      const [line = ''] = values('ExecStart');
      const pairs = values('Environment').flatMap((each) => each.split(' '));
      const command = [...line.split(' '), '--json', '--http-port', '0', '--grpc-port', '0'];
      const server = await startServer(inRoot(root, ['env', ...pairs, ...command]), ENV);
      const { base_url: base } = server.ready;
      const processes = processesBelow(server.pid);
      return { base: String(base), processes, stop: () => server.stop(server.pid) };
    }

    const ask = async (base: string, token: string, path: string, body: object) => {
      const answer = await fetch(`${base}/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> };
    };

    let token = '';
    let path = '';
    const sign = (base: string) => ask(base, token, path, { message: 'aGVsbG8=' });

    test('is small, and installs users, command, units and settings that nobody else reads', () => {
      expect(statSync(deb).size / 1e6).toBeLessThanOrEqual(MOST_MB);
      install(deb);
      expect(chroot('keyslot', 'version')).toBe(`keyslot ${packageManifest.version}\n`);
      const gid = Number(chroot('id', '-g', 'keyslot'));
      expect(mode('etc/keyslot/keyslot.yaml')).toEqual([0, gid, '640']);
      const units = readdirSync(at('usr/lib/systemd/system')).filter((name) => name.startsWith('keyslot'));
      expect(units).toHaveLength(3);
      expect(chroot('systemd-analyze', 'verify', '--man=no', ...units)).toBe('');
      expect(chroot('find', '/usr/lib/keyslot', '/etc/keyslot', '-perm', '/022', '-not', '-type', 'l')).toBe(
        '',
      );
      expect(chroot('zcat', '/usr/share/man/man1/keyslot.1.gz')).toContain('.SS backup create\n');
      expect(
        chroot('bash', '-c', '. /usr/share/bash-completion/completions/keyslot; complete -p keyslot'),
      ).toContain('_keyslot');
    });

    test(
      'serves as its two users, and keeps data and settings over a restart and an upgrade',
      async () => {
        const first = await serve();
        const users = ['keyslot', 'keyslot-signer'].map((name) => Number(chroot('id', '-u', name)));
        expect([...new Set(first.processes.map(({ uid }) => uid))].sort()).toEqual(users.sort());
        const { token: shown } = JSON.parse(
          chroot('keyslot', 'tokens', 'create', '--account', 'acme', ...SCOPES, '--json'),
        ) as { readonly token: string };
        token = shown;
        chroot('keyslot', 'credit', 'acme', '25');
        expect(chroot('keyslot', 'setup-link', 'acme')).toContain('http');
        const { status, body } = await ask(first.base, token, '/wallets', { custody: 'managed' });
        expect(status).toBe(201);
        path = `/wallets/${body.wallet_id}/sign`;
        const { body: signed } = await sign(first.base);
        expect(await first.stop()).toBe(0);

        writeFileSync(at('etc/keyslot/keyslot.yaml'), '# mine\n', { flag: 'a' });
        const settings = readFileSync(at('etc/keyslot/keyslot.yaml'), 'utf8');
        const owner = mode('etc/keyslot/keyslot.yaml');
        install(newer(deb));
        expect(chroot('dpkg-query', '--show', 'keyslot')).toBe(`keyslot\t${NEXT}\n`);
        expect(readFileSync(at('etc/keyslot/keyslot.yaml'), 'utf8')).toBe(settings);
        expect(mode('etc/keyslot/keyslot.yaml')).toEqual(owner);
        const second = await serve();
        expect(await sign(second.base)).toEqual({ status: 200, body: signed });
        expect(await second.stop()).toBe(0);
      },
      DEADLINE_MS,
    );

    test('leaves data and settings when it is removed, and says what stays when it is purged', () => {
      chroot('apt-get', 'remove', '--yes', '--quiet', 'keyslot');
      expect(existsSync(at('usr/lib/keyslot'))).toBe(false);
      expect(existsSync(at('etc/keyslot/keyslot.yaml'))).toBe(true);
      writeFileSync(at('etc/keyslot/environment'), 'KEYSLOT_LOG_LEVEL=warn');
      const said = chroot('apt-get', 'purge', '--yes', '--quiet', 'keyslot');
      expect(readdirSync(at('etc/keyslot'))).toEqual(['environment']);
      expect(existsSync(at('var/lib/keyslot/signer/master.key'))).toBe(true);
      for (const path of ['/var/lib/keyslot', '/etc/keyslot/environment'])
        expect(said).toContain(`keyslot: ${path} stays`);
      expect(said).toContain('the users keyslot and keyslot-signer stay');
    });

    /** The same package with a higher version, quickly packed. */
    function newer(older: string): string {
      const folder = join(out, 'newer');
      runProgram(['dpkg-deb', '--raw-extract', older, folder]);
      const control = join(folder, 'DEBIAN/control');
      writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${NEXT}`));
      runProgram(['dpkg-deb', '-Znone', '--build', folder, `${folder}.deb`]);
      rmSync(folder, { recursive: true });
      return `${folder}.deb`;
    }
  },
);
