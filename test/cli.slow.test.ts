import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../src/core/eventually.ts';
import { useNewDirectory } from './support/new-directory.ts';
import { type NodeProcess, startNode } from './support/node-process.ts';
import { prepareStore } from './support/prepared-store.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from './server/scripted-node.ts';

const CONFIRMED = { commitment: 'confirmed' };
const directory = useNewDirectory();
const running: { stop: () => Promise<void> }[] = [];

afterEach(() => Promise.all(running.splice(0).map((child) => child.stop())));

function keyslot(args: readonly string[], env: Readonly<Record<string, string>> = {}): NodeProcess {
  const child = startNode(['src/main.ts', ...args], {
    KEYSLOT_DATA_DIR: directory(),
    KEYSLOT_HTTP_PORT: '0',
    KEYSLOT_GRPC_PORT: '0',
    ...env,
  });
  running.push(child);
  return child;
}

type Ready = {
  readonly base_url: string;
  readonly rpc_paths: readonly string[];
  readonly wallets_path: string;
  readonly development?: { readonly api_key: string; readonly access_token: string };
};

async function ready(child: NodeProcess): Promise<Ready> {
  const line = await eventually('the server says where it serves', () => {
    if (child.ended() !== undefined) throw new Error(`ended with ${child.ended()}: ${child.stderr()}`);
    return child.stdout().includes('\n') ? child.stdout() : undefined;
  });
  return JSON.parse(line) as Ready;
}

const run = promisify(execFile);

/** The output of a shell for a line as a user would paste it. */
const paste = async (line: string): Promise<string> => (await run('sh', ['-c', line])).stdout;

/** True when no new connection is taken; undefined, for "not yet", otherwise. */
const isRefused = (url: string): Promise<true | undefined> =>
  fetch(url, { headers: { connection: 'close' } }).then(
    () => undefined,
    () => true,
  );

type ChildLine = { readonly child: string; readonly childPid: number; readonly port: number };

/** A child of a server with log level debug: its process and, of the embedded ledger, its port. With `before`, the one that came after it. */
function childOf(server: NodeProcess, name: string, before?: ChildLine): Promise<ChildLine> {
  return eventually(`the ${name} is ready`, () => {
    const lines = server.stderr().split('\n').slice(0, -1);
    const ready = lines.filter((text) => text.includes('child process is ready'));
    return ready
      .map((line) => JSON.parse(line) as ChildLine)
      .find(({ child, childPid }) => child === name && childPid !== before?.childPid);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const hasCurl = spawnSync('curl', ['--version']).error === undefined;

const ended = (child: NodeProcess): Promise<string> => eventually('the command has ended', child.ended);
const getSlot = (url: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"getSlot"}',
  });

async function scriptedNode(): Promise<ScriptedNode> {
  const node = await startScriptedNode();
  running.push({ stop: node.close });
  return node;
}

test('serve reports every mistake of its configuration and exits with 2', async () => {
  const child = keyslot(['serve', '--log-level', 'loud'], { KEYSLOT_HTTP_PORT: '70000' });
  expect(await ended(child)).toBe('exit code 2');
  expect(child.stderr()).toContain('http.port (KEYSLOT_HTTP_PORT) is 70000');
  expect(child.stderr()).toContain('log_level (KEYSLOT_LOG_LEVEL) is "loud"');
});

test('serve says that a port is taken and which setting chooses another', async () => {
  const node = await scriptedNode();
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as AddressInfo;
  const child = keyslot(['serve'], {
    KEYSLOT_HTTP_PORT: String(port),
    KEYSLOT_GRPC_PORT: '0',
    KEYSLOT_UPSTREAM_URL: node.url,
  });
  expect(await ended(child)).toBe('exit code 1');
  expect(child.stderr()).toContain(`Cannot listen on 127.0.0.1:${port}: another process uses the port`);
  expect(child.stderr()).toContain('KEYSLOT_HTTP_PORT');
  await new Promise((resolve) => blocker.close(resolve));
});

test.skipIf(process.platform !== 'linux')(
  'serve says that its data directory cannot be made, where the system never says so itself',
  async () => {
    const node = await scriptedNode();
    const child = keyslot(['serve'], {
      KEYSLOT_DATA_DIR: '/proc/nope/deeper',
      KEYSLOT_UPSTREAM_URL: node.url,
    });
    expect(await ended(child)).toBe('exit code 1');
    expect(child.stderr()).toContain('embedded store /proc/nope/deeper/store: ENOENT');
  },
);

test('a data directory is made with the directories above it', async () => {
  const node = await scriptedNode();
  const dataDir = join(directory(), 'a', 'b');
  const child = keyslot(['serve', '--json'], { KEYSLOT_DATA_DIR: dataDir, KEYSLOT_UPSTREAM_URL: node.url });
  await ready(child);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

describe('a server', () => {
  beforeEach(() => prepareStore(directory()));

  test('a second server on the same data directory names the first, and says nothing else', async () => {
    const first = keyslot(['serve', '--json']);
    await ready(first);
    const second = keyslot(['serve', '--json']);
    expect(await ended(second)).toBe('exit code 1');
    const lines = second.stderr().split('\n').slice(0, -1);
    expect(lines.at(-1)).toContain(`is in use by process ${first.pid}`);
    expect(lines.every((line) => line.startsWith('keyslot: '))).toBe(true);
  });

  test('serve prints a curl line that works as it stands, one that makes a wallet with the token of dev.json, and where the reference page is', async () => {
    const node = await scriptedNode();
    const child = keyslot(['serve'], { KEYSLOT_UPSTREAM_URL: node.url });
    const line = (pattern: RegExp): Promise<string> =>
      eventually(`${pattern} is printed`, () => pattern.exec(child.stdout())?.[1]);
    const curl = await line(/(curl -s .*)\n/);
    if (hasCurl) expect(await paste(curl)).toBe('{"jsonrpc":"2.0","result":1,"id":1}\n');

    const wallet = await line(/(curl .*wallets' .*)\n/);
    const { base_url, access_token } = JSON.parse(
      readFileSync(join(directory(), 'dev.json'), 'utf8'),
    ) as Record<string, string>;
    expect(wallet).toContain(`'${base_url}/v1/wallets' -H 'Authorization: Bearer ${access_token}'`);
    expect(child.stdout()).toContain(`Wallets    ${base_url}/v1/wallets\n`);
    const account = await fetch(await line(/Account +(\S+)\n/), {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(account.status).toBe(200);

    const page = await fetch(await line(/Reference +(\S+)\n/));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('a server on SIGTERM finishes the request under way, then exits with 0', async () => {
    const node = await scriptedNode();
    const child = keyslot(['serve', '--json'], { KEYSLOT_UPSTREAM_URL: node.url });
    const { base_url, rpc_paths, development } = await ready(child);
    const arrived = Promise.withResolvers<() => void>();
    node.play((response, seen, attempt) => arrived.resolve(() => echoResult('5')(response, seen, attempt)));
    const answer = getSlot(`${base_url}${rpc_paths[0]}?apikey=${development?.api_key}`);
    const finish = await arrived.promise;
    process.kill(child.pid, 'SIGTERM');
    await eventually('no new connection is taken', () => isRefused(`${base_url}/healthz`));
    finish();
    expect(await (await answer).json()).toMatchObject({ result: 5 });
    expect(await ended(child)).toBe('exit code 0');
  });

  test("with an operator's configuration the development key is revoked and its file is gone", async () => {
    const node = await scriptedNode();
    const first = keyslot(['serve', '--json'], { KEYSLOT_UPSTREAM_URL: node.url });
    const { development } = await ready(first);
    expect(existsSync(join(directory(), 'dev.json'))).toBe(true);
    await first.stop();
    const path = join(directory(), 'keyslot.yaml');
    writeFileSync(path, `networks: [{ upstreams: [{ url: '${node.url}' }] }]\n`);
    const second = keyslot(['serve', '--json', '--config', path]);
    const { base_url, rpc_paths, development: none } = await ready(second);
    expect(none).toBeUndefined();
    expect(existsSync(join(directory(), 'dev.json'))).toBe(false);
    const response = await getSlot(`${base_url}${rpc_paths[0]}?apikey=${development?.api_key}`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: -32042 } });
  });

  test('the embedded ledger and the signer are started again when they die, /readyz and /metrics tell of it; they end with a server that is killed', async () => {
    const child = keyslot(['serve', '--json', '--log-level', 'debug']);
    const { base_url, rpc_paths, development } = await ready(child);
    const url = `${base_url}${rpc_paths[0]}?apikey=${development?.api_key}`;
    const read = async (path: string): Promise<string> => (await fetch(`${base_url}${path}`)).text();
    expect((await getSlot(url)).status).toBe(200);
    expect(await read('/readyz')).toContain('"signer":{"state":"ready","restarts":0,"backend":"soft"}');

    const before = { ledger: await childOf(child, 'localnet'), signer: await childOf(child, 'signer') };
    process.kill(before.ledger.childPid, 'SIGKILL');
    await eventually('the ledger is back', async () => {
      const text = await read('/readyz');
      const isBack = text.includes('"localnet":{"state":"ready","restarts":1}');
      return isBack && text.includes('"status":"ready"') ? true : undefined;
    });
    expect((await getSlot(url)).status).toBe(200);
    process.kill(before.signer.childPid, 'SIGKILL');
    await eventually('the signer is back', async () =>
      (await read('/readyz')).includes('"signer":{"state":"ready","restarts":1,') ? true : undefined,
    );
    const metrics = await read('/metrics');
    expect(metrics).toContain('keyslot_child_restarts{child="solana-localnet"} 1');
    expect(metrics).toContain('keyslot_child_restarts{child="signer"} 1');

    const { port } = await childOf(child, 'localnet', before.ledger);
    const { childPid } = await childOf(child, 'signer', before.signer);
    process.kill(child.pid, 'SIGKILL');
    await eventually('nobody listens on its port', () => isRefused(`http://127.0.0.1:${port}/health`));
    await eventually('the signer has left', () => (isAlive(childPid) ? undefined : true));
  });

  test('the embedded ledger continues when the server is started again', async () => {
    const ask = async ({ base_url, rpc_paths, development }: Ready, method: string, ...params: unknown[]) => {
      const url = `${base_url}${rpc_paths[0]}?apikey=${development?.api_key}`;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return ((await response.json()) as { result: { value?: unknown } }).result;
    };
    const address = 'So11111111111111111111111111111111111111113';
    const balance = async (server: Ready) => (await ask(server, 'getBalance', address, CONFIRMED)).value;
    const first = keyslot(['serve', '--json']);
    const server = await ready(first);
    await ask(server, 'requestAirdrop', address, 1_000_000_000);
    await eventually('it is funded', async () =>
      (await balance(server)) === 1_000_000_000 ? true : undefined,
    );
    await first.stop();
    expect(await balance(await ready(keyslot(['serve', '--json'])))).toBe(1_000_000_000);
  });

  test('serve says why its signer cannot start, and exits with 1', async () => {
    const node = await scriptedNode();
    const env = { KEYSLOT_UPSTREAM_URL: node.url, KEYSLOT_HSM_MASTER_KEY_FILE: join(directory(), 'none') };
    const child = keyslot(['serve', '--log-level', 'fatal'], env);
    expect(await ended(child)).toBe('exit code 1');
    expect(child.stderr()).toContain('keyslot: The signer cannot start: hsm.soft.master_key_file');
  });

  test('no log line holds the key', async () => {
    const node = await scriptedNode();
    node.play((response) => response.destroy());
    const child = keyslot(['serve', '--json', '--log-level', 'trace'], { KEYSLOT_UPSTREAM_URL: node.url });
    const { base_url, rpc_paths, development } = await ready(child);
    expect((await getSlot(`${base_url}${rpc_paths[0]}?apikey=${development?.api_key}`)).status).toBe(502);
    await child.stop();
    expect(child.stderr()).toContain('a ledger node failed');
    expect(child.stderr()).not.toContain(development?.api_key);
    expect(child.stderr()).not.toContain('node-secret');
  });
});
