import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childOptions } from '../../core/process/harden-process.ts';
import { programUrl } from '../../core/program.ts';
import { serviceError } from '../../core/service-error.ts';
import { assertListenable } from '../../server/connections/listener.ts';
import { type HttpHandler, startHttpServer } from '../../server/http/http-server.ts';
import { createRestFront } from './rest-front.ts';
import { sessionCookieName } from '../../server/rest/session-cookie.ts';

const END_WITH_PARENT = programUrl(new URL('./end-with-parent.ts', import.meta.url)).href;
const STOP_DEADLINE_MS = 2_000;
const PORT_SETTING = '--wallets-port';
const PRISM_HOST = '127.0.0.1';
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 120_000;

/** A running mock of the wallet service and of the account service. */
export type RestMock = {
  readonly url: string;
  /** Answers its requests on any listener. */
  readonly handler: HttpHandler;
  /** Resolves when it has ended, requested or not. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
};

/** True when Prism is installed: a checkout has it, a package uses it if the user has installed it. */
export function hasRestMock(): boolean {
  return findPrism() !== undefined;
}

function findPrism(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@stoplight/prism-cli');
  } catch {
    return undefined;
  }
}

/**
 * Mocks the services of a document, by default both, until this process ends. It answers from the examples and refuses what the server
 * would refuse; `Prefer: code=402, example=balance_insufficient` chooses an answer. Port 0: any free port.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRestMock(host: string, port: number, document?: string): Promise<RestMock> {
  const text = document ?? (await readMockDocument());
  await assertListenable({ host, port, portSetting: PORT_SETTING });
  const prism = await startPrism(text);
  const handler = createRestFront(prism.url, text);
  const listening = startHttpServer(handler, {
    host,
    port,
    portSetting: PORT_SETTING,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  const server = await listening.catch(async (error: unknown) => {
    await prism.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await server.close(STOP_DEADLINE_MS);
    await prism.close();
  };
  return { url: `http://${bracketed(host)}:${server.port}`, handler, ended: prism.ended, close };
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

type Prism = Pick<RestMock, 'url' | 'ended' | 'close'>;

/** Starts Prism as a child that ends with this process, on a free port of loopback. */
async function startPrism(document: string): Promise<Prism> {
  const prism = findPrism();
  if (prism === undefined) throw failure('Prism is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-mock-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, document);
  const child = fork(prism, ['mock', '--host', PRISM_HOST, '--port', '0', file], {
    execArgv: childOptions(['--import', END_WITH_PARENT]),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // Prism watches the document, and would restart without it.
  const ended = once(child, 'exit').then(() => rm(folder, { recursive: true }));
  const output: string[] = [];
  const url = await Promise.race([addressIn(child, output), ended]);
  if (url === undefined) throw failure(output.join('\n'));
  return { url, ended, close: () => stop(child, ended) };
}

/** Reads the output to its end, so that the child never blocks on it; returns the address that it prints. */
async function addressIn(child: ChildProcess, output: string[]): Promise<string> {
  return await new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const url = /listening on (http:\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
        if (output.length < MAX_KEPT_LINES) output.push(line);
      });
    }
  });
}

/** Enough to show why it did not start. */
const MAX_KEPT_LINES = 50;

function failure(output: string): Error {
  const reason = output.split('\n').at(-1) ?? 'Prism ended';
  return serviceError('listenFailed', { address: `${PRISM_HOST}:0`, reason });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(killer);
}

type Members = Readonly<Record<string, unknown>>;

const WALLETS = new URL('../../../generated/wallets/openapi.json', import.meta.url);
const ACCOUNT = new URL('../../../generated/account/openapi.json', import.meta.url);
/** The prefix of component names of the account service, as the wallet service uses the same names for others. */
const PREFIX = 'Account_';

/**
 * Returns the documents of the wallet and account services as one. The session cookie has its name for plain HTTP, which the mock uses.
 */
async function readMockDocument(): Promise<string> {
  const wallets = membersOf(JSON.parse(await readFile(WALLETS, 'utf8')));
  const account = membersOf(JSON.parse(withPrefixedRefs(await readFile(ACCOUNT, 'utf8'))));
  const components = mapMembers(account.components, prefixed);
  const schemes = mapMembers(components.securitySchemes, (scheme) =>
    membersOf(scheme).in === 'cookie'
      ? { ...membersOf(scheme), name: sessionCookieName('http://localhost') }
      : scheme,
  );
  const added: Members = { ...components, securitySchemes: schemes };
  return JSON.stringify({
    ...wallets,
    paths: { ...membersOf(wallets.paths), ...pathsOf(account) },
    components: mapMembers(wallets.components, (own, kind) => ({
      ...membersOf(own),
      ...membersOf(added[kind]),
    })),
  });
}

const withPrefixedRefs = (text: string): string => text.replace(/"#\/components\/\w+\//g, `$&${PREFIX}`);

/** Returns the paths of a document, with the authentication written to each operation. */
const pathsOf = ({ paths, security }: Members): Members =>
  mapMembers(paths, (path) =>
    mapMembers(path, (operation) => {
      const { security: own = security, ...rest } = membersOf(operation);
      return { ...rest, security: Array.isArray(own) ? own.map(prefixed) : [] };
    }),
  );

const prefixed = (value: unknown): Members =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [`${PREFIX}${name}`, member]));

const mapMembers = (value: unknown, change: (member: unknown, name: string) => unknown): Members =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, change(member, name)]));

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};
