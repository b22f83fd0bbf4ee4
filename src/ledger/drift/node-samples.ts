import { METHODS } from '../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import { LentStream } from '../../rpc/lent-stream.ts';
import type { OnMessage } from '../../upstream/pubsub-connection.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import { BATCH, type Upstream, type UpstreamRequest } from '../../upstream/upstream.ts';
import type { CheckRequest } from './check-request.ts';
import type { CheckThread } from './check-thread.ts';
import type { Finding } from './finding.ts';
import type { OwnBytes, Sample, SampleRoom } from './sample-room.ts';
import { Sampler } from './sampler.ts';

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
