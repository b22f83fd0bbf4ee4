import { Socket } from 'node:net';
import { ProcessCalls } from '../../core/process/process-calls.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import type { SignerLauncher } from '../../signer/client/signer-launcher.ts';
import { sharedLauncher } from '../../signer/shared/shared-launcher.ts';
import type { ServedApp } from '../served-app.ts';
import { ANSWER_MS, type Joined, SETTLE_MS, SIGNER_FD, type WorkersStanding } from './worker-messages.ts';

/** The part of a process that is one of several workers. */
export type WorkerRole = {
  readonly number: number;
  /** True for the one that also does what one process does: the admin socket, signed heads, the development account. */
  readonly isFirst: boolean;
  /** Starts the signer that all workers share. */
  readonly launcher: SignerLauncher;
  /** Returns the metrics of all workers, in Prometheus text format. */
  readonly readAllMetrics: () => Promise<string>;
  /** Resolves when the work with sealed keys that the other workers have under way has ended. @throws ServiceError `rotationUnfinished`. */
  readonly settleOthers: () => Promise<void>;
  /** Returns how many workers serve. */
  readonly standing: () => WorkersStanding;
};

/** Calls of the supervisor to a worker. */
export type WorkerParts = {
  readonly readMetrics: () => Promise<string>;
  readonly settle: () => Promise<void>;
};

/** A worker's connection to its supervisor. */
export type Supervised = Pick<Joined, 'config' | 'isRestart'> & {
  readonly role: WorkerRole;
  /** Called when the parts exist, before the worker serves. */
  readonly offer: (parts: WorkerParts) => void;
  readonly announce: (served: ServedApp) => Promise<void>;
  /** Tells why the worker cannot start. */
  readonly fail: (error: ServiceError) => Promise<void>;
  /** Resolves when the worker is told to stop. */
  readonly stopped: Promise<void>;
  /** Leaves signer and supervisor: nothing of them keeps the process alive then. */
  readonly leave: () => void;
};

/** Joins the workers of a supervisor. Call it in a process that `startWorkers` has started. */
export async function joinWorkers(): Promise<Supervised> {
  const offered = Promise.withResolvers<WorkerParts>();
  const stopped = Promise.withResolvers<void>();
  let standing: WorkersStanding = { serving: 0, of: 0 };
  const calls = new ProcessCalls(process, {
    readMetrics: async () => (await offered.promise).readMetrics(),
    settle: async () => (await offered.promise).settle(),
    ping: () => undefined,
    stop: () => stopped.resolve(),
    note: (now) => {
      standing = now as WorkersStanding;
    },
  });
  const { number, config, isRestart } = (await calls.call('join', null, ANSWER_MS)) as Joined;
  const toSigner = new Socket({ fd: SIGNER_FD, readable: true, writable: true });
  const launcher = sharedLauncher(toSigner);
  return {
    config,
    isRestart,
    role: {
      number,
      isFirst: number === 1,
      launcher,
      standing: () => standing,
      readAllMetrics: async () => String(await calls.call('readAllMetrics', null, 2 * ANSWER_MS)),
      settleOthers: async () => {
        await calls.call('settleOthers', null, 2 * SETTLE_MS).catch((error: unknown) => {
          throw serviceError(
            'rotationUnfinished',
            { reason: 'another worker did not finish its requests' },
            error,
          );
        });
      },
    },
    offer: offered.resolve,
    announce: async (served) => void (await calls.call('serving', served, ANSWER_MS)),
    fail: async ({ code, context }) => void (await calls.call('failed', { code, context }, ANSWER_MS)),
    stopped: stopped.promise,
    leave: () => {
      toSigner.destroy();
      process.disconnect();
    },
  };
}
