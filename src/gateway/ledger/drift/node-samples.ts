import { Worker } from 'node:worker_threads';
import { METHODS } from '../../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../../../generated/ledger/subscriptions.ts';
import { LentStream } from '../../../core/rpc/zero-copy-stream.ts';
import type { OnMessage } from '../../nodes/pubsub-connection.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import { BATCH, type Upstream, type UpstreamRequest } from '../../nodes/upstream.ts';
import type { CheckRequest, FromThread, ToThread } from './check-request.ts';
import type { Finding } from './finding.ts';
import type { OwnBytes, Sample, SampleRoom } from './sample-room.ts';
import { programUrl } from '../../../core/program.ts';

/** The outcome of a sample: checked, or dropped because it was too large, found no room, broke off or was not JSON. */
export type SampleOutcome = 'checked' | 'dropped';

export type NodeSamplesOptions = {
  readonly room: SampleRoom;
  readonly thread: CheckThread;
  readonly random: () => number;
  readonly onFindings: (findings: readonly Finding[]) => void;
  readonly onOutcome: (outcome: SampleOutcome) => void;
};

/** The names that answers are grouped by; all other names count as one. */
const NAMES: readonly string[] = [
  ...Object.keys(METHODS),
  BATCH,
  ...Object.values(SUBSCRIPTIONS).flatMap(({ name, unsubscribe, notification }) => [
    name,
    unsubscribe,
    notification,
  ]),
];

/** Copies some answers of one node and has them checked. It never throws, and leaves the answers unchanged. */
export class NodeSamples {
  readonly #options: NodeSamplesOptions;
  readonly #sampler: Sampler;

  constructor(options: NodeSamplesOptions) {
    this.#options = options;
    this.#sampler = new Sampler({ names: NAMES, random: options.random });
  }

  /** True if the next answer of this name is to be checked. */
  isDue(name: string): boolean {
    return this.#sampler.isDue(name);
  }

  /** Returns the node with some of its answers checked. The other answers pass untouched. */
  watch(node: Upstream): Upstream {
    return {
      ...node,
      send: (request) => {
        const replies = node.send(request);
        if (!this.isDue(request.method)) return replies;
        return replies.then((reply) => {
          this.takeReply(request, reply);
          return reply;
        });
      },
    };
  }

  /** Call it once per sampling interval. */
  tick(): void {
    this.#sampler.tick();
  }

  /** Copies the reply to a request, if a sample is still due. Call it before anyone reads the reply. */
  takeReply(request: UpstreamRequest, reply: UpstreamReply): void {
    const { method, body, id } = request;
    // A call without an id is answered with an empty body.
    if (method !== BATCH && id === undefined) return;
    const callBytes = method === BATCH ? body.length : 0;
    const replyBytes = (reply.kind === 'whole' ? reply.body.length : reply.sizeBytes) ?? 0;
    const sample = this.#begin(method, callBytes + replyBytes);
    if (sample === undefined) return;
    const toCheck = checkOf(request, sample);
    if (reply.kind === 'whole') {
      sample.add(reply.body);
      this.#check(sample, toCheck);
    } else if (reply.body instanceof LentStream) {
      this.#follow(sample, reply.body, toCheck);
    } else {
      this.#drop(sample);
    }
  }

  /** Copies a WebSocket message, if one of this name is due: a notification, or the reply to a call of this method. */
  readonly takeMessage: OnMessage = (kind, name, bytes) => {
    if (!this.isDue(name)) return;
    const sample = this.#begin(name, bytes.length);
    if (sample === undefined) return;
    sample.add(bytes);
    this.#check(sample, (parts) => (kind === 'reply' ? { kind, method: name, parts } : { kind, parts }));
  };

  /** A sample without room stays due; one that can never fit counts as taken. */
  #begin(name: string, sizeBytes: number): Sample | undefined {
    if (!this.isDue(name)) return undefined;
    const { room, onOutcome } = this.#options;
    const sample = room.begin(sizeBytes);
    if (sample !== undefined || room.isTooLarge(sizeBytes)) this.#sampler.take(name);
    if (sample === undefined) onOutcome('dropped');
    return sample;
  }

  #follow(sample: Sample, body: LentStream, toCheck: ToCheck): void {
    const isSeen = body.watch({
      onPart: (part) => sample.add(part),
      onEnd: () => this.#check(sample, toCheck),
    });
    if (!isSeen) this.#drop(sample);
    else
      body.once('close', () => {
        if (!sample.isWhole) this.#drop(sample);
      });
  }

  #check(sample: Sample, toCheck: ToCheck): void {
    const { thread, onFindings, onOutcome } = this.#options;
    if (!sample.finish()) return;
    void thread.check(toCheck(sample.parts)).then((findings) => {
      sample.close();
      onOutcome(findings === undefined ? 'dropped' : 'checked');
      if (findings !== undefined && findings.length > 0) onFindings(findings);
    });
  }

  #drop(sample: Sample): void {
    sample.close();
    this.#options.onOutcome('dropped');
  }
}

/** Builds the check request once all parts have arrived. */
type ToCheck = (parts: readonly OwnBytes[]) => CheckRequest;

/** A batch is checked with its calls. */
function checkOf({ method, body }: UpstreamRequest, sample: Sample): ToCheck {
  if (method !== BATCH) return (parts) => ({ kind: 'reply', method, parts });
  const calls = sample.copy(body) ?? new Uint8Array();
  return (parts) => ({ kind: 'batch', calls, parts });
}

/** The key for all names that were not given in advance. */
const OTHER = '';

/** Most samples that can be saved up, for rare names. */
const MAX_SAVED = 4;

type SamplerOptions = {
  /** The names that answers are grouped by. All others count as one. */
  readonly names: Iterable<string>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/**
 * Chooses the answers of one node to check: the first of each name, and then one per tick, up to four more after quiet ticks. A
 * name that was checked waits, at random, for about twice as many ticks as there are names: half of the ticks are left for rare
 * names.
 */
export class Sampler {
  /** The tick from which a name is due; 0: never checked. */
  readonly #dueAt = new Map<string, number>();
  readonly #random: () => number;
  #tick = 1;
  #saved = 0;
  /** The number of names that were checked. */
  #seen = 0;

  constructor({ names, random }: SamplerOptions) {
    this.#random = random;
    for (const name of names) this.#dueAt.set(name, 0);
    this.#dueAt.set(OTHER, 0);
  }

  /** True if an answer of this name is due. Costs one table lookup. */
  isDue(name: string): boolean {
    const dueAt = this.#dueAt.get(name) ?? this.#dueAt.get(OTHER) ?? 0;
    return dueAt === 0 || (this.#saved > 0 && dueAt <= this.#tick);
  }

  /** Counts a due answer of this name as checked. */
  take(name: string): void {
    const key = this.#dueAt.has(name) ? name : OTHER;
    if (this.#dueAt.get(key) === 0) this.#seen += 1;
    else this.#saved -= 1;
    this.#dueAt.set(key, this.#tick + Math.ceil(this.#seen * (1 + 2 * this.#random())));
  }

  /** Call it once per sampling interval. */
  tick(): void {
    this.#tick += 1;
    this.#saved = Math.min(this.#saved + 1, MAX_SAVED);
  }
}

/** Checks answers against the specification outside the main thread. */
export type CheckThread = {
  /** Takes over the bytes of the request. @returns undefined if they could not be checked. Never rejects. */
  readonly check: (request: CheckRequest) => Promise<readonly Finding[] | undefined>;
  readonly close: () => Promise<void>;
};

type CheckThreadOptions = {
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
