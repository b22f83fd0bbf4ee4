import { type LabGateway, servingGateway } from '../gateways/lab-gateway.ts';
import type { ClientDeps } from './client-deps.ts';
import { postRpc } from './post-rpc.ts';
import { type Answer, drawRead, type ReadStep, type ShownByLife, shownAt } from './read-step.ts';
import { nextWire } from './wire.ts';

const NONE_SERVES_MS = 50;
const BETWEEN_MS = 150;
const MOST_ENTRIES = 10;
/** One batch in this number has a transaction among its reads. */
const SENDS = 5;

/** A batch: reads, and the bytes of a transaction, or none. */
export type Batch = { readonly steps: readonly ReadStep[]; readonly wire: string | undefined };

/** A client over HTTP that reads in batches of JSON-RPC, in a session of its own. */
export async function runBatchClient(deps: ClientDeps, name: string): Promise<void> {
  const { gateways, over, pause, random } = deps;
  const shown: ShownByLife = new Map();
  for (let turn = random(gateways.length); !over.aborted; turn++) {
    const gateway = servingGateway(gateways, turn);
    if (gateway === undefined) {
      await pause(NONE_SERVES_MS);
      continue;
    }
    const steps = Array.from({ length: 1 + random(MOST_ENTRIES) }, () => drawRead(random));
    const wire = random(SENDS) === 0 ? nextWire() : undefined;
    await readBatch(deps, gateway, { name, shown, steps, wire });
    await pause(BETWEEN_MS);
  }
}

type OneBatch = Batch & { readonly name: string; readonly shown: ShownByLife };

/**
 * Sends a batch once. Each of its entries has to be answered once, and each read as if it had come alone; a gateway that something of its own
 * disturbed meanwhile need not answer.
 */
export async function readBatch(
  { findings, timeline, readMs, apiKey, over }: ClientDeps,
  gateway: LabGateway,
  { name, shown, steps, wire }: OneBatch,
): Promise<void> {
  const before = gateway.disturbances();
  const slots = shownAt(gateway, shown, findings);
  const by = `${name} at ${gateway.name}, in a batch`;
  const judges = steps.map((step) => slots.expect(step, by));
  const calls = [
    ...steps.map(({ method, params }) => ({ method, params })),
    ...(wire === undefined ? [] : [{ method: 'sendTransaction', params: [wire, { encoding: 'base64' }] }]),
  ].map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const outcome = await postRpc(`${gateway.rpcUrl}?apikey=${apiKey}`, calls, { name, timeoutMs: readMs });
  if (gateway.disturbances() !== before) return timeline.count('batches_lost_with_their_gateway');
  if ('failure' in outcome) {
    // A transaction is sent once: a node that took it and hangs holds up the answer.
    if (wire !== undefined) timeline.count('sends_not_answered');
    if (over.aborted || wire !== undefined) return;
    findings.check('failed_read');
    return findings.break('failed_read', `${by} of ${calls.length}: ${outcome.failure}`);
  }
  timeline.count('batches');
  const answers = entriesOf(outcome.answer);
  judgeEntries(findings, { by, count: calls.length, answers });
  for (const [at, step] of steps.entries()) {
    const answer = answers.find(({ id }) => id === at);
    if (answer === undefined) continue;
    findings.check('failed_read');
    if (answer.result === undefined)
      findings.break(
        'failed_read',
        `${by}: ${step.method} at ${step.commitment}: ${JSON.stringify(answer.error)}`,
      );
    else {
      timeline.count('batch_reads');
      judges[at]?.(answer);
    }
  }
}

type Entry = Answer & { readonly id?: unknown };

/** Each entry has one answer with its id, and there is no other. */
function judgeEntries(
  findings: ClientDeps['findings'],
  { by, count, answers }: { readonly by: string; readonly count: number; readonly answers: readonly Entry[] },
): void {
  findings.check('broken_batch', count);
  const ids = answers.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
  if (ids.length !== count || ids.some((id, at) => id !== at))
    findings.break('broken_batch', `${by}: ${count} entries were answered with the ids ${ids.join(' ')}`);
}

/** An answer that is no list has no entries. */
function entriesOf(answer: unknown): readonly Entry[] {
  return Array.isArray(answer) ? (answer as readonly Entry[]) : [];
}
