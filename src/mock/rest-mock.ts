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
import { readMockDocument } from './mock-document.ts';

const END_WITH_PARENT = programUrl(new URL('./end-with-parent.ts', import.meta.url)).href;
const STOP_DEADLINE_MS = 2_000;

/** A running mock of the wallet service and of the account service. */
export type RestMock = {
  readonly url: string;
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
 * Starts Prism on a document, by default that of both services, as a child that ends with this process. It answers from the examples and
 * validates requests; `Prefer: code=402, example=balance_insufficient` chooses an answer. Port 0: any free port.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRestMock(host: string, port: number, document?: string): Promise<RestMock> {
  const prism = findPrism();
  if (prism === undefined) throw failure(host, port, 'Prism is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-mock-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, document ?? (await readMockDocument()));
  const child = fork(prism, ['mock', '--host', host, '--port', String(port), file], {
    execArgv: childOptions(['--import', END_WITH_PARENT]),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // It watches the document, and would start anew without it.
  const ended = once(child, 'exit').then(() => rm(folder, { recursive: true }));
  const output: string[] = [];
  const url = await Promise.race([addressIn(child, output), ended]);
  if (url === undefined) throw failure(host, port, output.join('\n'));
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

function failure(host: string, port: number, output: string): Error {
  const address = `${host}:${port}`;
  if (output.includes('EADDRINUSE')) return serviceError('portTaken', { address, setting: '--wallets-port' });
  return serviceError('listenFailed', { address, reason: output.split('\n').at(-1) ?? 'Prism ended' });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(killer);
}
