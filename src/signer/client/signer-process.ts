import type { Logger } from 'pino';
import { type ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import { SupervisedChild, type SupervisedProcess } from '../../core/process/supervised-child.ts';
import type { SignerSettings } from '../settings.ts';
import { type Hello, parseHello } from '../wire/hello.ts';
import { OPERATIONS } from '../wire/operations.ts';
import {
  pendingRequest,
  unavailable,
  type SignerClient,
  openLink,
  type SignerLink,
} from './request-queue.ts';
import { childLauncher, type SignerLauncher } from './signer-launcher.ts';

/** A signer that has not opened its backend within this time is killed. */
const START_DEADLINE_MS = 120_000;
/** A signer that died this often before it first served counts as unable to start. */
const MAX_EARLY_DEATHS = 3;
/** Failures that an operator must fix. */
const FOR_OPERATOR: ReadonlySet<string> = new Set(['signerNotStarted', 'tokenPinRefused']);

export type SignerProcess = {
  readonly child: SupervisedChild<Hello>;
  /** The signer's description of itself at its latest start; rejects if the first start failed. */
  readonly started: Promise<Hello>;
};

export type SignerProcessOptions = {
  readonly settings: SignerSettings;
  readonly queue: SignerClient;
  readonly onHello: (hello: Hello) => void;
  readonly log: Logger;
  /** Starts the process: as a child of this one by default. */
  readonly launcher?: SignerLauncher | undefined;
};

/**
 * Starts the signer and keeps it running. It gets its settings over the socket, never as arguments or environment, and serves once it has
 * opened its backend. A failed start that an operator must fix is not retried: a wrong PIN, tried often, would lock the token.
 */
export function startSignerProcess({
  settings,
  queue,
  onHello,
  log,
  launcher = childLauncher(),
}: SignerProcessOptions): SignerProcess {
  const started = Promise.withResolvers<Hello>();
  started.promise.catch(() => undefined);
  let hasStarted = false;
  let identity: string | undefined;
  let earlyDeaths = 0;
  let link: SignerLink | undefined;

  const takeFailure = (process: SupervisedProcess | undefined, error: unknown): void => {
    const failure = toServiceError(error);
    const isForOperator = FOR_OPERATOR.has(failure.code);
    const isFinal = !hasStarted || isForOperator;
    log.error({ reason: reasonOf(failure), isFinal }, 'the signer cannot start');
    if (!isFinal) return void process?.kill('SIGKILL');
    void child.stop();
    queue.close();
    started.reject(
      isForOperator ? failure : serviceError('signerNotStarted', { reason: reasonOf(failure) }, failure),
    );
  };

  /** Once it has served, its files exist: lost ones must not be replaced by new ones. */
  const startSettings = (): SignerSettings => (hasStarted ? { ...settings, mayCreate: false } : settings);

  const launch = (announce: (hello: Hello) => void): SupervisedProcess => {
    const { process, link: socket } = launcher.launch();
    const { pending, answered } = pendingRequest(OPERATIONS.open, JSON.stringify(startSettings()), {
      id: 0,
      nowMs: 0,
    });
    const opens = socket.then((duplex) => {
      const opened = openLink(duplex, {
        onFrame: (frame) => (frame.id === 0 ? pending.settle(frame) : queue.take(frame)),
        onWritable: () => queue.resume(),
        onBroken: (error) => {
          log.error({ reason: error.message }, 'the signer sent an invalid answer');
          process.kill('SIGKILL');
        },
      });
      opened.send(pending.encode(0));
      // It was stopped before it had opened.
      if (child.state === 'stopped') opened.end();
      return opened;
    });
    const timer = setTimeout(() => pending.fail(unavailable('it did not start in time')), START_DEADLINE_MS);
    process.once('exit', () => clearTimeout(timer));
    answered
      .finally(() => clearTimeout(timer))
      .then(
        async (text) => {
          const hello = parseHello(text);
          identity ??= hello.identity;
          if (hello.identity !== identity) return takeFailure(process, exchanged());
          link = await opens;
          announce(hello);
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
          takeFailure(undefined, unavailable(`it exited ${earlyDeaths} times before it was ready`));
        }
      },
    },
    log,
  );
  child.start();
  return { child, started: started.promise };
}

function exchanged(): ServiceError {
  return serviceError('signerNotStarted', {
    reason:
      'its files were replaced by those of another signer while the server ran: restore the directory of the signer',
  });
}

function reasonOf({ context, cause, message }: ServiceError): string {
  if (typeof context.reason === 'string') return context.reason;
  return cause instanceof Error ? cause.message : message;
}
