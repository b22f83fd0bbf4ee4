import { Worker } from 'node:worker_threads';
import { programUrl } from '../../base/program.ts';
import type { CheckRequest, FromThread, ToThread } from './check-request.ts';
import type { Finding } from './finding.ts';
import type { OwnBytes } from './sample-room.ts';

/** Checks answers against the specification outside the main thread. */
export type CheckThread = {
  /** Takes over the bytes of the request. @returns undefined if they could not be checked. Never rejects. */
  readonly check: (request: CheckRequest) => Promise<readonly Finding[] | undefined>;
  readonly close: () => Promise<void>;
};

export type CheckThreadOptions = {
  /** Called with the reason when the thread ended without being closed. */
  readonly onFailure: (reason: Error) => void;
  readonly nowMs: () => number;
  /** The thread's program; default: the check. */
  readonly program?: URL;
};

const CHECK = programUrl(new URL('./check-worker.ts', import.meta.url));
/** Twice what the largest sample can take (`parseSample`). Not a guard: a thread that reaches it within JSON.parse ends the process. */
const MAX_HEAP_MB = 1024;
/** Least milliseconds before a thread that ended is started again. */
const RESTART_PAUSE_MS = 60_000;

/** Creates a thread that starts with the first answer, and again a minute after it has ended. */
export function createCheckThread({ onFailure, nowMs, program = CHECK }: CheckThreadOptions): CheckThread {
  const waiting = new Map<number, (findings: readonly Finding[] | undefined) => void>();
  let worker: Worker | undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let nextId = 0;
  const fail = (error: unknown): void => {
    notBeforeMs = nowMs() + RESTART_PAUSE_MS;
    onFailure(error instanceof Error ? error : new Error(String(error)));
  };
  const start = (): Worker => {
    const started = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    started.unref();
    started.on('message', ({ id, findings }: FromThread) => {
      waiting.get(id)?.(findings);
      waiting.delete(id);
    });
    started.on('error', fail);
    started.on('exit', () => {
      worker = undefined;
      for (const settle of waiting.values()) settle(undefined);
      waiting.clear();
    });
    return started;
  };
  const send = (request: CheckRequest): Promise<readonly Finding[] | undefined> => {
    worker ??= start();
    const id = nextId++;
    const settled = Promise.withResolvers<readonly Finding[] | undefined>();
    waiting.set(id, settled.resolve);
    const message: ToThread = { id, request };
    worker.postMessage(message, buffersOf(request));
    return settled.promise;
  };
  return {
    check: async (request) => {
      if (worker === undefined && nowMs() < notBeforeMs) return undefined;
      try {
        return await send(request);
      } catch (error) {
        fail(error);
        return undefined;
      }
    },
    close: async () => {
      notBeforeMs = Number.POSITIVE_INFINITY;
      await worker?.terminate();
    },
  };
}

function buffersOf(request: CheckRequest): ArrayBuffer[] {
  const all: readonly OwnBytes[] =
    request.kind === 'batch' ? [request.calls, ...request.parts] : request.parts;
  return all.map(({ buffer }) => buffer);
}
