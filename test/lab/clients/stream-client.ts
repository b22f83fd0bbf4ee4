import { createStreamClient, StreamCallError } from '../../../generated/stream/package.ts';
import { SlotSequence } from '../checks/slots.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';
import type { ClientDeps } from './client-deps.ts';

const AGAIN_MS = 200;
const MAX_PAUSE_MS = 500;

/**
 * A client of topic streams: reads the slots at one gateway, where the stream resumes by itself whenever it breaks. Every slot has to arrive
 * once, whatever happened to the gateway.
 */
export async function runStreamClient(
  deps: ClientDeps,
  gateway: LabGateway,
  name: string,
  onSlot: (slot: number) => void = () => undefined,
): Promise<void> {
  const { findings, timeline, over, pause, apiKey } = deps;
  const by = `${name} at ${gateway.name}`;
  const judge = judgeStream(deps, by);
  let last: bigint | undefined;
  while (!over.aborted) {
    const before = gateway.disturbances();
    const client = createStreamClient({
      url: gateway.grpcUrl,
      apiKey,
      session: name,
      maxPauseMs: MAX_PAUSE_MS,
    });
    try {
      const onReconnect = () => timeline.count('streams_resumed');
      const resume = last === undefined ? {} : { resumeSlot: last };
      for await (const { slot } of client.subscribe('slots', { ...resume, signal: over, onReconnect })) {
        judge(Number(slot));
        onSlot(Number(slot));
        last = BigInt(slot);
      }
    } catch (error) {
      const isDisturbed = !gateway.isServing() || gateway.disturbances() !== before;
      if (over.aborted) return;
      if (isDisturbed) timeline.count('streams_lost_with_their_gateway');
      else {
        const why = error instanceof StreamCallError ? `${error.error ?? error.status}` : String(error);
        findings.break('lost_event', `${by}: the stream ended: ${why}`);
      }
      await pause(AGAIN_MS);
    } finally {
      client.close();
    }
  }
}

/** Returns how to take the next slot of a stream: each one follows the one before. */
export function judgeStream({ findings, timeline }: Pick<ClientDeps, 'findings' | 'timeline'>, by: string) {
  const sequence = new SlotSequence(`${by}: stream of slots`);
  return (slot: number): void => {
    timeline.count('stream_messages');
    findings.check('lost_event');
    sequence.tell(slot);
    for (const fault of sequence.faults.splice(0)) findings.break('lost_event', fault);
  };
}
