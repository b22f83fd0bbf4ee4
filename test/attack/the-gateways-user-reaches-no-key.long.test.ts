import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { WalletServer } from '../wallets/open-wallet-server.ts';
import { startWalletServer } from '../wallets/wallet-server.ts';
import { diskDirectory } from '../support/disk-directory.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { startNode } from '../support/node-process.ts';
import { processesBelow } from '../support/processes.ts';
import { allowTraversal, runAs } from '../support/run-as.ts';
import { systemUser, type TestUser, usersMissing } from '../support/system-users.ts';

const directory = useNewDirectory();
const missing = usersMissing();
let gateway: TestUser = { name: '', uid: 0 };
let signer: TestUser = { name: '', uid: 0 };

beforeAll(() => {
  if (missing !== undefined) return;
  allowTraversal();
  gateway = systemUser('ks-test-gateway');
  signer = systemUser('ks-test-signer');
});

const settings = () => ({ KEYSLOT_GATEWAY_USER: gateway.name, KEYSLOT_SIGNER_USER: signer.name });

/** A server of both users, on a data directory that they own. */
async function start(): Promise<WalletServer> {
  return startWalletServer({ env: settings(), prepare: prepareFor(gateway) });
}

const prepareFor = (owner: TestUser) => (dataDir: string) => {
  execFileSync('chown', ['-R', `${owner.name}:`, dataDir]);
};

const pidOf = (server: WalletServer, name: string): number => {
  const found = processesBelow(server.pid()).find(({ command }) => command.includes(name));
  if (found === undefined) throw new Error(`there is no process ${name}`);
  return found.pid;
};

async function signs(server: WalletServer): Promise<boolean> {
  const made = await server.send('', { custody: 'managed' });
  if (!made.ok) return false;
  const { wallet_id: id } = (await made.json()) as { wallet_id: string };
  return (await server.send(`/${id}/sign`, { message: 'aGVsbG8=' })).ok;
}

const read = (path: string): readonly string[] => [
  '-e',
  `require('node:fs').readFileSync(${JSON.stringify(path)})`,
];
const DENIED = { code: 1, error: expect.stringMatching(/EACCES|EPERM/) };

/** Runs the command line to its end. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const command = startNode(['src/main.ts', ...args], env);
  onTestFinished(() => command.stop());
  const end = await eventually('the command ends', command.ended);
  return { end, output: command.stdout(), error: command.stderr() };
}

describe.skipIf(missing !== undefined)('started by root, with a user of the signer’s own', () => {
  test('no process stays root, and none of the gateway’s user has a key within reach', async () => {
    const server = await start();
    expect(await signs(server)).toBe(true);
    const users = processesBelow(server.pid()).map(({ command, uid }) => [
      /(main\.ts serve|signer\/keeper|signer\/main|localnet\/main)/.exec(command)?.[1],
      uid,
    ]);
    expect(Object.fromEntries(users)).toEqual({
      'main.ts serve': gateway.uid,
      'signer/keeper': signer.uid,
      'signer/main': signer.uid,
    });
    const [signerPid, keeperPid] = [pidOf(server, 'signer/main'), pidOf(server, 'signer/keeper')];
    for (const name of ['master.key', 'tombstones', 'audit.key']) {
      expect(runAs(gateway.uid, read(join(server.dataDir, 'signer', name)))).toMatchObject(DENIED);
    }
    for (const pid of [signerPid, keeperPid]) {
      expect(runAs(gateway.uid, read(`/proc/${pid}/mem`))).toMatchObject(DENIED);
      expect(runAs(gateway.uid, read(`/proc/${pid}/environ`))).toMatchObject(DENIED);
      expect(runAs(gateway.uid, ['-e', `process.kill(${pid}, 'SIGUSR1')`])).toMatchObject(DENIED);
    }
    // Nor does the signer's user reach what is the gateway's.
    for (const name of ['installation.key', 'dev.json', 'store/PG_VERSION']) {
      expect(lstatSync(join(server.dataDir, name)).uid).toBe(gateway.uid);
      expect(runAs(signer.uid, read(join(server.dataDir, name)))).toMatchObject(DENIED);
    }
    const modes = ['', 'signer'].map((name) => lstatSync(join(server.dataDir, name)));
    expect(modes.map(({ mode, uid }) => [mode & 0o777, uid])).toEqual([
      [0o700, gateway.uid],
      [0o700, signer.uid],
    ]);
  });

  test('a signer that dies is started again, as its user; and both start again on the same directory', async () => {
    const server = await start();
    const first = pidOf(server, 'signer/main');
    process.kill(first, 'SIGKILL');
    await eventually('another signer signs', async () => ((await signs(server)) ? true : undefined));
    const second = pidOf(server, 'signer/main');
    expect(second).not.toBe(first);
    expect(lstatSync(`/proc/${second}`).uid).toBe(signer.uid);
    await server.stop();
    await server.start();
    expect(await signs(server)).toBe(true);
  });

  test('without its keeper no signer is started, and the server says so and serves on', async () => {
    const server = await start();
    process.kill(pidOf(server, 'signer/keeper'), 'SIGKILL');
    await eventually('it is said', () => server.written().includes('its keeper has exited') || undefined);
    const ready = await fetch(`${server.baseUrl}/readyz`);
    expect(await ready.json()).toMatchObject({ signer: { state: expect.not.stringMatching('ready') } });
    expect((await server.send('', {})).ok).toBe(true);
  });

  test('commands of root leave nothing of root’s: keys, and a rotation where no server runs', async () => {
    const server = await start();
    expect(await signs(server)).toBe(true);
    const env = { ...settings(), KEYSLOT_DATA_DIR: server.dataDir };
    expect(await run(['keys', 'list'], env)).toMatchObject({ end: 'exit code 0' });
    await server.stop();
    expect(await run(['keys', 'create', '--name', 'one', '--account', 'acme'], env)).toMatchObject({
      end: 'exit code 0',
    });
    const rotated = await run(['signer', 'rotate-master', '--json'], env);
    expect(rotated).toMatchObject({ end: 'exit code 0', error: '' });
    expect(JSON.parse(rotated.output)).toMatchObject({ wallets: 1, resealed: 1 });
    const found = execFileSync('find', [server.dataDir, '-uid', '0'], { encoding: 'utf8' });
    expect(found).toBe('');
    await server.start();
    expect(await signs(server)).toBe(true);
  });

  test('an HSM is checked as the signer’s user, who alone reads its credential file', async () => {
    const key = join(diskDirectory('keyslot-credential-'), 'master.key');
    onTestFinished(() => void execFileSync('rm', ['-r', join(key, '..')]));
    writeFileSync(key, 'ab'.repeat(32), { mode: 0o600 });
    execFileSync('chown', ['-R', signer.name, join(key, '..')]);
    const env = { KEYSLOT_HSM_MASTER_KEY_FILE: key, TMPDIR: '/tmp', ...settings() };
    expect(await run(['hsm', 'check', '--json'], env)).toMatchObject({ end: 'exit code 0', error: '' });
    const asGateway = { ...env, KEYSLOT_GATEWAY_USER: signer.name, KEYSLOT_SIGNER_USER: gateway.name };
    expect(await run(['hsm', 'check'], asGateway)).toMatchObject({
      end: 'exit code 1',
      error: expect.stringContaining('EACCES'),
    });
  });

  test.each([
    ['a directory of root', (dataDir: string) => dataDir, 'chown -R ks-test-gateway: '],
    [
      'a signer’s directory of the gateway’s user',
      (dataDir: string) => {
        execFileSync('mkdir', [join(dataDir, 'signer')]);
        execFileSync('chown', ['-R', gateway.name, dataDir]);
        return dataDir;
      },
      'signer belongs to user',
    ],
    [
      'a directory whose parent keeps the user out',
      (dataDir: string) => closedBelow(dataDir),
      'cannot be reached by',
    ],
  ])('%s is refused with what to do, and left as it is', async (_what, prepare, told) => {
    const dataDir = prepare(directory());
    const owner = lstatSync(directory()).uid;
    const refused = await run(['serve'], { ...settings(), KEYSLOT_DATA_DIR: dataDir });
    expect(refused).toMatchObject({ end: 'exit code 2', error: expect.stringContaining(told) });
    expect(lstatSync(directory()).uid).toBe(owner);
  });

  test.each([
    ['only one user', { KEYSLOT_GATEWAY_USER: '' }, 'must be set together'],
    ['one user for both', { KEYSLOT_GATEWAY_USER: 'ks-test-signer' }, 'needs a different user'],
    ['a user that does not exist', { KEYSLOT_SIGNER_USER: 'ks-test-none' }, 'there is no such user'],
    ['root', { KEYSLOT_SIGNER_USER: 'root' }, 'which is root'],
  ])('%s is refused', async (_what, env, told) => {
    const refused = await run(['serve'], { KEYSLOT_DATA_DIR: directory(), ...settings(), ...env });
    expect(refused).toMatchObject({ end: 'exit code 2', error: expect.stringContaining(told) });
    expect(readdirSync(directory())).toEqual([]);
  });

  test('another user than root cannot start it', () => {
    const main = join(process.cwd(), 'src/main.ts');
    const refused = runAs(gateway.uid, [main, 'serve'], { ...settings(), KEYSLOT_DATA_DIR: directory() });
    expect(refused).toMatchObject({
      code: 2,
      error: expect.stringContaining('only root can start processes of both'),
    });
  });
});

/** A new directory below one that only root enters. */
function closedBelow(path: string): string {
  const dataDir = join(path, 'closed', 'data');
  execFileSync('mkdir', ['-m', '700', join(path, 'closed')]);
  return dataDir;
}

if (missing !== undefined) test('the users of this test can be had', (context) => context.skip(missing));
