import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childOptions } from '../base/harden-process.ts';
import { programUrl } from '../base/program.ts';
import { serviceError } from '../base/service-error.ts';
import { assertListenable } from '../server/connections/listener.ts';
import { type HttpHandler, startHttpServer } from '../server/http/http-server.ts';
import { readMockDocument } from './mock-document.ts';
import { createRestFront } from './rest-front.ts';

const END_WITH_PARENT = programUrl(new URL('./end-with-parent.ts', import.meta.url)).href;
const STOP_DEADLINE_MS = 2_000;
const PORT_SETTING = '--wallets-port';
const PRISM_HOST = '127.0.0.1';
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 120_000;

/** A running mock of the wallet service and of the account service. */
export type RestMock = {
  readonly url: string;
  /** Answers its requests, on other listeners too. */
  readonly handler: HttpHandler;
  /** Resolves when it has ended, requested or not. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
};

/** True when Prism is installed: a checkout has it, a package uses it where its user installed it. */
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
 * refuses; `Prefer: code=402, example=balance_insufficient` chooses an answer. Port 0: any free port.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRestMock(host: string, port: number, document?: string): Promise<RestMock> {
  const text = document ?? (await readMockDocument());
  await assertListenable({ host, port, portSetting: PORT_SETTING });
  const prism = await startPrism(text);
  const handler = createRestFront(prism.url, text);
  const listening = startHttpServer(handler, {
    ...{ host, port, portSetting: PORT_SETTING },
    ...{ requestTimeoutMs: REQUEST_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS },
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
  // It watches the document, and would start anew without it.
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
