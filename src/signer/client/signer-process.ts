import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type ServiceError, serviceError, toServiceError } from '../../service-error.ts';
import { foreignEnvironment, SupervisedChild } from '../../supervised-child.ts';
import type { SignerSettings } from '../settings.ts';
import { type Hello, parseHello } from '../wire/hello.ts';
import { OPERATIONS } from '../wire/operations.ts';
import { pendingRequest, unavailable } from './pending-request.ts';
import type { RequestQueue } from './request-queue.ts';
import { openLink, type SignerLink } from './signer-link.ts';

const MODULE = fileURLToPath(new URL('../main.ts', import.meta.url));
/** Nobody can open a debugger in the signer by a signal. */
const NODE_OPTIONS = ['--disable-sigusr1'];
/** A signer that has not opened its backend by then is killed. */
const START_DEADLINE_MS = 30_000;
/** Deaths before it ever served that are taken for its nature. */
const MAX_EARLY_DEATHS = 3;

export type SignerProcess = {
  readonly child: SupervisedChild<Hello>;
  /** What the signer said of itself at its latest start; rejects if the first start failed. */
  readonly started: Promise<Hello>;
};

export type SignerProcessOptions = {
  readonly settings: SignerSettings;
  readonly queue: RequestQueue;
  readonly onHello: (hello: Hello) => void;
  readonly log: Logger;
  /** Another module in the place of the signer's, in tests. */
  readonly modulePath?: string | undefined;
};

/**
 * Starts the signer and keeps it running. It gets its settings over the socket, never as arguments or environment, and
 * serves when it has opened its backend. A start that an operator must mend is not tried again: a wrong PIN, tried often,
 * would lock the token.
 */
export function startSignerProcess({
  settings,
  queue,
  onHello,
  log,
  modulePath,
}: SignerProcessOptions): SignerProcess {
  const started = Promise.withResolvers<Hello>();
  started.promise.catch(() => undefined);
  let hasStarted = false;
  let earlyDeaths = 0;
  let link: SignerLink | undefined;

  const takeFailure = (process: ChildProcess | undefined, error: unknown): void => {
    const failure = toServiceError(error);
    const isFinal = !hasStarted || failure.code === 'signerNotStarted';
    log.error({ reason: reasonOf(failure), isFinal }, 'the signer cannot start');
    if (!isFinal) return void process?.kill('SIGKILL');
    void child.stop();
    queue.close();
    started.reject(
      failure.code === 'signerNotStarted'
        ? failure
        : serviceError('signerNotStarted', { reason: reasonOf(failure) }, failure),
    );
  };

  const launch = (announce: (hello: Hello) => void): ChildProcess => {
    const process = spawnSigner(modulePath ?? MODULE);
    const socket = process.stdio[3];
    if (!(socket instanceof Duplex)) return process;
    const { pending, answered } = pendingRequest(OPERATIONS.open, JSON.stringify(settings), {
      id: 0,
      nowMs: 0,
    });
    const opened = openLink(socket, {
      onFrame: (frame) => (frame.id === 0 ? pending.settle(frame) : queue.take(frame)),
      onWritable: () => queue.resume(),
      onBroken: (error) => {
        log.error({ reason: error.message }, 'the signer answered something that is no answer');
        process.kill('SIGKILL');
      },
    });
    opened.send(pending.encode(0));
    const timer = setTimeout(() => pending.fail(unavailable('it did not start in time')), START_DEADLINE_MS);
    process.once('exit', () => clearTimeout(timer));
    answered
      .finally(() => clearTimeout(timer))
      .then(
        (text) => {
          link = opened;
          announce(parseHello(text));
        },
        (error: unknown) => takeFailure(process, error),
      );
    return process;
  };

  const child = new SupervisedChild<Hello>(
    {
      name: 'signer',
      launch,
      leave: () => link?.end(),
      onReady: (hello) => {
        hasStarted = true;
        onHello(hello);
        if (link !== undefined) queue.attach(link);
        started.resolve(hello);
      },
      onDown: () => {
        link = undefined;
        queue.detach();
        earlyDeaths += 1;
        if (!hasStarted && earlyDeaths === MAX_EARLY_DEATHS) {
          takeFailure(undefined, unavailable(`it died ${earlyDeaths} times before it served`));
        }
      },
    },
    log,
  );
  child.start();
  return { child, started: started.promise };
}

/** In a process group of its own, so that a Ctrl-C reaches only its parent; the socket is its fourth file. */
function spawnSigner(modulePath: string): ChildProcess {
  const { NODE_OPTIONS: _debugging, ...env } = foreignEnvironment();
  return spawn(process.execPath, [...NODE_OPTIONS, modulePath], {
    detached: true,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}

function reasonOf({ context, cause, message }: ServiceError): string {
  if (typeof context.reason === 'string') return context.reason;
  return cause instanceof Error ? cause.message : message;
}
