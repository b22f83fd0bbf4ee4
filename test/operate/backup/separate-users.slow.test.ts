import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import type { Finding } from '../../../src/operate/doctor/finding.ts';
import { NODE, type NodeProcess, startNode } from '../../support/node-process.ts';
import { allowTraversal, runAs } from '../../support/run-as.ts';
import { systemUser, type TestUser, usersMissing } from '../../support/system-users.ts';
import { startScriptedNode } from '../../server/scripted-node.ts';

const missing = usersMissing();

describe.skipIf(missing !== undefined)(
  `a backup by root, of a gateway and a signer with users of their own (${missing ?? ''})`,
  () => {
    let gateway: TestUser = { name: '', uid: 0 };
    let signer: TestUser = { name: '', uid: 0 };

    beforeAll(() => {
      allowTraversal();
      gateway = systemUser('ks-test-gateway');
      signer = systemUser('ks-test-signer');
    });

    test('holds the files of both, gives them back to both, and no other user may make it', async () => {
      const place = mkdtempSync(join(tmpdir(), 'keyslot-users-'));
      execFileSync('chmod', ['711', place]);
      onTestFinished(() => rmSync(place, { recursive: true, force: true }));
      const node = await startScriptedNode();
      onTestFinished(node.close);
      const env = (dataDir: string) => ({
        KEYSLOT_DATA_DIR: dataDir,
        KEYSLOT_GATEWAY_USER: gateway.name,
        KEYSLOT_SIGNER_USER: signer.name,
        KEYSLOT_HTTP_PORT: '0',
        KEYSLOT_GRPC_PORT: '0',
        KEYSLOT_UPSTREAM_URL: node.url,
      });
      const start = (args: readonly string[], dataDir: string): NodeProcess => {
        const child = startNode(['src/main.ts', ...args], env(dataDir));
        onTestFinished(() => child.stop());
        return child;
      };
      const run = async (args: readonly string[], dataDir: string) => {
        const child = start(args, dataDir);
        const end = await eventually('the command ends', child.ended);
        return { end, stdout: child.stdout(), stderr: child.stderr() };
      };
      const serve = async (dataDir: string): Promise<NodeProcess> => {
        const server = start(['serve', '--json'], dataDir);
        await eventually('it serves', () => (server.stdout().includes('\n') ? true : undefined));
        return server;
      };

      const data = join(place, 'data');
      const server = await serve(data);
      const key = join(place, 'key.txt');
      await run(['backup', 'key', key], data);
      const [recipient = ''] = /age1\w+/.exec(readFileSync(key, 'utf8')) ?? [];
      const file = join(place, 'a.age');
      const made = await run(['backup', 'create', file, '--recipient', recipient, '--json'], data);
      expect([made.end, made.stderr]).toEqual(['exit code 0', '']);
      expect((JSON.parse(made.stdout) as { files: string[] }).files).toContain('signer/master.key');
      expect(lstatSync(join(data, 'last-backup.json')).uid).toBe(gateway.uid);

      const examined = await run(['doctor', '--json'], data);
      expect([examined.end, examined.stderr]).toEqual(['exit code 0', '']);
      const { findings } = JSON.parse(examined.stdout) as { findings: readonly Finding[] };
      expect(findings.find(({ part }) => part === 'data directory')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining(`signer belongs to ${signer.name}, the user of the signer`),
      });

      const alone = runAs(
        gateway.uid,
        [
          join(process.cwd(), 'src/main.ts'),
          'backup',
          'create',
          join(data, 'b.age'),
          '--recipient',
          recipient,
        ],
        env(data),
      );
      expect([alone.code, alone.error]).toEqual([
        2,
        expect.stringContaining('only root can start processes of both'),
      ]);
      await server.stop();

      // It is there already, as one that a service manager makes, and as a mount point.
      const restored = join(place, 'restored');
      mkdirSync(restored, { mode: 0o700 });
      chownSync(restored, gateway.uid, gateway.uid);
      const outcome = await run(['restore', file, '--key', key, '--json'], restored);
      expect([outcome.end, outcome.stderr]).toEqual(['exit code 0', '']);
      const ownerOf = (path: string) => [
        lstatSync(join(restored, path)).uid,
        lstatSync(join(restored, path)).mode & 0o777,
      ];
      expect(ownerOf('.')).toEqual([gateway.uid, 0o700]);
      expect(ownerOf('installation.key')).toEqual([gateway.uid, 0o600]);
      expect(ownerOf('signer')).toEqual([signer.uid, 0o700]);
      expect(ownerOf('signer/master.key')).toEqual([signer.uid, 0o600]);
      await (await serve(restored)).stop();

      // A file of root under the name of one of the signer's is not read.
      rmSync(join(data, 'signer', 'master.key'));
      symlinkSync('/etc/hostname', join(data, 'signer', 'master.key'));
      const lured = await run(['backup', 'create', join(place, 'c.age'), '--recipient', recipient], data);
      expect([lured.end, lured.stderr]).toEqual(['exit code 1', expect.stringContaining('master.key')]);
    });

    test('that fails says why and leaves nothing, also where root may not kill processes of others', () => {
      const place = mkdtempSync(join(tmpdir(), 'keyslot-users-'));
      execFileSync('chmod', ['711', place]);
      onTestFinished(() => rmSync(place, { recursive: true, force: true }));
      const data = join(place, 'data');
      mkdirSync(join(data, 'signer'), { recursive: true, mode: 0o700 });
      for (const name of ['audit.key', 'tombstones', 'master.key'])
        writeFileSync(join(data, 'signer', name), 'x', { mode: 0o600 });
      writeFileSync(join(data, 'installation.key'), 'x', { mode: 0o600 });
      execFileSync('chown', ['-R', String(gateway.uid), data]);
      execFileSync('chown', ['-R', String(signer.uid), join(data, 'signer')]);
      const run = (...command: readonly string[]) => {
        const args = ['--bounding-set=-kill', NODE, 'src/main.ts', 'backup', ...command];
        const env = {
          PATH: process.env.PATH,
          KEYSLOT_DATA_DIR: data,
          KEYSLOT_DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
          KEYSLOT_GATEWAY_USER: gateway.name,
          KEYSLOT_SIGNER_USER: signer.name,
        };
        return spawnSync('setpriv', args, { encoding: 'utf8', env, timeout: 60_000 });
      };
      const made = run('key', join(place, 'key.txt'));
      const [recipient = made.stderr] = /age1\w+/.exec(made.stdout) ?? [];
      const { status, stderr } = run('create', join(place, 'a.age'), '--recipient', recipient);
      expect([status, stderr]).toEqual([
        1,
        'keyslot: PostgreSQL a@127.0.0.1:1/b: connect ECONNREFUSED 127.0.0.1:1\n',
      ]);
      expect(readdirSync(place).toSorted()).toEqual(['data', 'key.txt']);
    });
  },
);
