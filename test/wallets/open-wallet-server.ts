import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAdmin } from '../../src/admin/ask-admin.ts';
import { eventually } from '../../src/base/eventually.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { isThorough } from '../support/tier.ts';
import { prepareStore } from '../support/prepared-store.ts';

/** The account that everything is done for. */
export const ACCOUNT = 'acme';

/** Nobody listens there: the wallet service needs no ledger node. */
const NO_NODE = 'http://127.0.0.1:9';
const SCOPES = ['wallets:create', 'wallets:read', 'wallets:sign', 'wallets:destroy'];
/** The store may have to be repaired after a kill, on a machine that does other things too. */
const START_DEADLINE_MS = 60_000;

export type Sending = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly method?: string;
};

/** A `keyslot serve` of a test, which can be killed and started again on the same data. */
export type WalletServer = {
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly pid: () => number;
  readonly token: string;
  /** All that it has written since the first start. */
  readonly written: () => string;
  /** Sends a request of the wallet API; a body that is no text and no bytes goes as JSON. */
  readonly send: (path: string, body?: unknown, how?: Sending) => Promise<Response>;
  /** Gives a command to the server as the command line does. */
  readonly ask: <T>(request: Readonly<Record<string, unknown>>) => Promise<T>;
  /** Ends it at once, as the system does when memory is short. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type WalletServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly creditUsd?: string;
  /** Where its data directory is made. Default: the directory for temporary files. */
  readonly parent?: string;
  /** Done to the data directory before the first start. */
  readonly prepare?: (dataDir: string) => void;
};

/**
 * Starts a server with a customer who has money and a token for everything, outside of any test.
 * @returns also `remove`, which stops it and removes its data.
 */
export async function openWalletServer({
  env = {},
  args = [],
  creditUsd = '1000',
  parent = tmpdir(),
  prepare,
}: WalletServerOptions = {}): Promise<WalletServer & { readonly remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(parent, 'keyslot-wallets-'));
  const settings = {
    ...{
      KEYSLOT_DATA_DIR: dataDir,
      KEYSLOT_HTTP_PORT: '0',
      KEYSLOT_GRPC_PORT: '0',
      KEYSLOT_UPSTREAM_URL: NO_NODE,
    },
    KEYSLOT_KEY_THREADS: '1',
  };
  let server: NodeProcess | undefined;
  let [earlier, url, token] = ['', '', ''];
  const running = (): NodeProcess => server ?? startedNever();
  const own = {
    dataDir,
    baseUrl: () => url,
    pid: () => running().pid,
    written: () => `${earlier}${running().stdout()}${running().stderr()}`,
    send: (path: string, body?: unknown, how: Sending = {}) => send(url, token, path, body, how),
    ask: <T>(request: Readonly<Record<string, unknown>>) => ask<T>(dataDir, request),
    kill: async () => {
      process.kill(running().pid, 'SIGKILL');
      await eventually('the killed server has ended', running().ended);
    },
    start: async () => {
      if (server !== undefined) earlier = own.written();
      if (env.KEYSLOT_DATABASE_URL === undefined) prepareStore(dataDir);
      if (server === undefined) prepare?.(dataDir);
      // Its pace matters where it is killed at moments in the midst of its work.
      server = startNode(
        ['src/main.ts', 'serve', '--json', ...args],
        { ...settings, ...env },
        { isOptimized: isThorough },
      );
      url = await baseUrlOf(server);
    },
    stop: async () => server?.stop(),
  };
  const remove = async (): Promise<void> => {
    await own.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await own.start();
    ({ token } = await own.ask<{ token: string }>({
      ...{ kind: 'tokens.create', account: ACCOUNT, scopes: SCOPES },
    }));
    await own.ask({ kind: 'money.credit', account: ACCOUNT, amountUsd: creditUsd });
    for (const kind of ['wallet-limit', 'wallet-use-limit'])
      await own.ask({ kind, account: ACCOUNT, requests: 1_000_000 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { ...own, token, remove };
}

/** The process of the signer of a server, which the system knows as its child. */
export function signerPidOf(serverPid: number): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [parent, command] = [read(`/proc/${name}/stat`), read(`/proc/${name}/cmdline`)];
    const isChild = Number(parent.slice(parent.lastIndexOf(')') + 2).split(' ')[1]) === serverPid;
    if (isChild && command.includes('/signer/main.ts')) return Number(name);
  }
  throw new Error(`the process ${serverPid} has no signer`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function send(
  baseUrl: string,
  token: string,
  path: string,
  body: unknown,
  { headers = {}, signal, method = body === undefined ? 'GET' : 'POST' }: Sending,
): Promise<Response> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${baseUrl}/v1/wallets${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type, ...headers },
    ...(body === undefined ? {} : { body: isSentAsItIs(body) ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function isSentAsItIs(body: unknown): body is string | Buffer<ArrayBuffer> {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

async function ask<T>(dataDir: string, request: Readonly<Record<string, unknown>>): Promise<T> {
  const answer = await askAdmin(dataDir, request);
  if (answer === undefined) throw new Error('no server runs');
  return answer.result as T;
}

async function baseUrlOf(server: NodeProcess): Promise<string> {
  const line = await eventually(
    'the server says where it serves',
    () => {
      if (server.ended() !== undefined) throw new Error(`ended with ${server.ended()}: ${server.stderr()}`);
      return server.stdout().includes('\n') ? server.stdout() : undefined;
    },
    { timeoutMs: START_DEADLINE_MS },
  );
  return (JSON.parse(line) as { base_url: string }).base_url;
}

function startedNever(): never {
  throw new Error('the server was not started');
}
