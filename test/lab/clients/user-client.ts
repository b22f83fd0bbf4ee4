import { eventually } from '../../../src/core/eventually.ts';
import { COMMITMENTS } from '../../../src/core/rpc/commitment.ts';
import type { SocketClient } from '../../support/socket-client.ts';
import { type LabGateway, servingGateway } from '../gateways/lab-gateway.ts';
import { readBatch } from './batch-client.ts';
import type { ClientDeps } from './client-deps.ts';
import { readOnce, sendOnce } from './http-client.ts';
import { drawRead, shownAt, type ShownByLife } from './read-step.ts';
import { HeardSlots, readOver, withSocket } from './socket-client.ts';
import { runStreamClient } from './stream-client.ts';

const NONE_SERVES_MS = 50;
/** A user's steps, each as often as it stands here; while a node is lost, notifications wait until that is noticed. */
const STEPS = [
  ...Array.from({ length: 5 }, () => ['read', 'read over a socket'] as const).flat(),
  ...(['batch', 'batch', 'subscribe', 'subscribe', 'stream', 'listen', 'listen', 'listen', 'send'] as const),
] as const;
const LEAST_STEPS = 4;
const MORE_STEPS = 11;
const LISTEN_MS = 20_000;
const SUBSCRIPTIONS = ['accountSubscribe', 'slotSubscribe', 'rootSubscribe'] as const;

/** Users of HTTP, WebSocket and topic streams, one after the other: none may be shown less than before by another protocol. */
export async function runUserClient(deps: ClientDeps, name: string): Promise<void> {
  const { gateways, over, pause, random, timeline } = deps;
  for (let turn = random(gateways.length); !over.aborted; turn++) {
    const gateway = servingGateway(gateways, turn);
    if (gateway === undefined) {
      await pause(NONE_SERVES_MS);
      continue;
    }
    await playSession(deps, gateway, `${name}-${turn}`);
    timeline.count('sessions');
  }
}

async function playSession(deps: ClientDeps, gateway: LabGateway, session: string): Promise<void> {
  const { findings, random, over } = deps;
  const shown: ShownByLife = new Map();
  const slots = shownAt(gateway, shown, findings);
  const heard = new HeardSlots(deps, `${session} at ${gateway.name}`, slots);
  const before = gateway.disturbances();
  const isDisturbed = (): boolean =>
    over.aborted || gateway.disturbances() !== before || !gateway.isServing();
  const leaving = new AbortController();
  const left = AbortSignal.any([over, leaving.signal]);
  const streaming: Promise<void>[] = [];
  let streamed = 0;
  const stream = (): void => {
    if (streaming.length > 0) return;
    const onSlot = (slot: number): void => {
      streamed++;
      slots.slots.see('confirmed', slot, `${session}: a stream`);
    };
    streaming.push(runStreamClient({ ...deps, over: left }, gateway, session, onSlot));
  };
  /** Waits until everything that is listened to has told something more. */
  const listen = async (): Promise<void> => {
    const all = (): readonly (readonly [name: string, told: number])[] => [
      ...heard.sequences.map((each) => [each.name, each.told] as const),
      ...streaming.map(() => [`${session}: a stream`, streamed] as const),
    ];
    const earlier = all();
    const silent = () => earlier.filter(([, told], at) => all()[at]?.[1] === told);
    const isOver = (): true | undefined => silent().length === 0 || isDisturbed() || undefined;
    await eventually('all have seen a slot', isOver, { timeoutMs: LISTEN_MS, intervalMs: 10 }).catch(() => {
      for (const [who] of silent()) findings.break('silent_gap', `${who}: silent for ${LISTEN_MS} ms`);
    });
  };
  const step = async (socket: SocketClient): Promise<void> => {
    const commitment = COMMITMENTS[1 + random(COMMITMENTS.length - 1)];
    switch (STEPS[random(STEPS.length)]) {
      case 'read':
        return readOnce(deps, gateway, { name: session, step: drawRead(random), shown });
      case 'read over a socket':
        return readOver(deps, socket, { heard, step: drawRead(random) });
      case 'batch': {
        const steps = [drawRead(random), drawRead(random)];
        return readBatch(deps, gateway, { name: session, steps, wire: undefined, shown });
      }
      case 'subscribe':
        return heard.subscribe(
          socket,
          SUBSCRIPTIONS[random(SUBSCRIPTIONS.length)] ?? 'slotSubscribe',
          commitment,
        );
      case 'stream':
        return stream();
      case 'listen':
        return listen();
      case 'send':
        return sendOnce(deps, gateway, session);
    }
  };
  await withSocket(deps, gateway, { session, heard }, async (socket) => {
    for (let steps = LEAST_STEPS + random(MORE_STEPS); steps > 0 && !isDisturbed(); steps--)
      await step(socket);
  });
  heard.end();
  leaving.abort();
  await Promise.all(streaming);
}
