import type { GatewayProcess } from '../gateways/gateway-process.ts';
import type { EventReceiver } from '../receiver/event-receiver.ts';
import type { ChainServer } from '../nodes/chain-server.ts';
import { type Random, within } from '../random.ts';
import type { Timeline } from '../report/timeline.ts';
import type { FaultSource } from '../scenario/fault-kinds.ts';
import type { StartedFault } from './fault.ts';
import { beginGatewayFault, beginSignerFault, beginWayFault, killService } from './gateway-faults.ts';
import { beginNodeFault } from './node-faults.ts';
import { beginReceiverFault } from './receiver-faults.ts';
import type { SharedServices } from './shared-service.ts';
import { type RoledNode, soundNodes } from './sound-nodes.ts';

export type FaultDeps = {
  readonly nodes: readonly (RoledNode & { readonly server: ChainServer })[];
  readonly gateways: readonly GatewayProcess[];
  readonly shared: SharedServices;
  readonly receiver: EventReceiver;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly over: AbortSignal;
  /** Resolves after so many milliseconds, or when it is over. */
  readonly pause: (ms: number) => Promise<void>;
};

/** One node is sound for so long; then the next one is too, for the time until gateways have seen that, before this one may fail. */
const SOUND_MS = 4_000;
const OVERLAP_MS = 5_000;

type Running = { readonly end: () => Promise<void> };
type Found = {
  readonly target: string;
  readonly lock: string;
  readonly begin: () => Promise<StartedFault | undefined>;
};

/**
 * Lets parts fail as the sources say, until it is over; then everything is mended. At any time one node of each role is sound, one
 * gateway at most fails, and each part has one fault at a time.
 */
export async function runFaults(sources: readonly FaultSource[], deps: FaultDeps): Promise<void> {
  const state = new FaultState(deps);
  await Promise.all([state.keepSound(), ...sources.map((source) => state.run(source))]);
}

class FaultState {
  readonly #deps: FaultDeps;
  readonly #running = new Map<string, Running>();
  #sound: ReadonlySet<string>;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
    this.#sound = soundNodes(deps.nodes, 0);
  }

  /** Moves on the nodes that must be sound, and mends the next ones in time. */
  async keepSound(): Promise<void> {
    const { nodes, over, pause } = this.#deps;
    for (let turn = 1; !over.aborted; turn++) {
      await pause(SOUND_MS);
      const next = soundNodes(nodes, turn);
      this.#sound = new Set([...this.#sound, ...next]);
      await Promise.all([...next].map((name) => this.#running.get(`node ${name}`)?.end()));
      await pause(OVERLAP_MS);
      this.#sound = next;
    }
  }

  async run(source: FaultSource): Promise<void> {
    const { random, over, pause, timeline } = this.#deps;
    const named = `${source.part} ${source.kind}`;
    for (;;) {
      await pause(within(random, source.every_ms));
      if (over.aborted) return;
      const found = this.#find(source);
      if (found === undefined) timeline.passedOver.set(named, (timeline.passedOver.get(named) ?? 0) + 1);
      else await this.#fail(source, found);
    }
  }

  /** Begins, waits and mends; whoever needs the target sound before may end it earlier. */
  async #fail(source: FaultSource, { target, lock, begin }: Found): Promise<void> {
    const { random, pause, timeline } = this.#deps;
    const fromMs = Math.round(timeline.nowMs());
    const ended = Promise.withResolvers<void>();
    const early = Promise.withResolvers<void>();
    const end = (): Promise<void> => {
      early.resolve();
      return ended.promise;
    };
    this.#running.set(lock, { end });
    try {
      const fault = await begin();
      if (fault === undefined) return;
      await Promise.race([pause(within(random, source.for_ms)), early.promise]);
      await fault.end();
      timeline.count('faults');
      const { part, kind } = source;
      const at = { from_ms: fromMs, to_ms: Math.round(timeline.nowMs()) };
      timeline.faults.push({ part, kind, target, what: fault.what, ...at });
    } finally {
      this.#running.delete(lock);
      ended.resolve();
    }
  }

  #find(source: FaultSource): Found | undefined {
    const { nodes, gateways, shared, receiver, random, pause } = this.#deps;
    switch (source.part) {
      case 'node': {
        const isFree = ({ name }: RoledNode): boolean =>
          !this.#sound.has(name) && !this.#running.has(`node ${name}`) && !this.#hasForeign(source);
        const node = drawn(nodes.filter(isFree), random);
        if (node === undefined) return undefined;
        const lock = `node ${node.name}`;
        return {
          target: node.name,
          lock,
          begin: () => beginNodeFault(node.server, source, { random, pause }),
        };
      }
      case 'gateway': {
        if (this.#running.has('gateway')) return undefined;
        const gateway = drawn(gateways, random);
        return (
          gateway && {
            ...{ target: gateway.name, lock: 'gateway' },
            begin: () => beginGatewayFault(gateway, source.kind),
          }
        );
      }
      case 'signer': {
        const gateway = drawn(
          gateways.filter((each) => each.isServing()),
          random,
        );
        if (gateway === undefined || this.#running.has('signer')) return undefined;
        const begin = async () => beginSignerFault(gateway, source.kind);
        return { target: `signer of ${gateway.name}`, lock: 'signer', begin };
      }
      case 'receiver': {
        if (this.#running.has('receiver')) return undefined;
        const begin = async () => beginReceiverFault(receiver, source.kind);
        return { target: 'receiver', lock: 'receiver', begin };
      }
      case 'postgres':
      case 'redis': {
        const { part, kind } = source;
        const { proxies } = shared[part];
        if (proxies.length === 0 || this.#running.has(part)) return undefined;
        if (kind === 'kill') return { target: part, lock: part, begin: () => killService(shared[part]) };
        // Of one gateway alone, or of all of them.
        const at = random(proxies.length + 1);
        const chosen = proxies.slice(at, at + 1);
        const isOne = chosen.length > 0 && proxies.length > 1;
        const target = isOne ? `${part} of ${gateways[at]?.name}` : part;
        return { target, lock: part, begin: async () => beginWayFault(isOne ? chosen : proxies, kind) };
      }
      default:
        return source.part satisfies never;
    }
  }

  /** Nodes of another ledger must not be most of them: one at a time. */
  #hasForeign({ kind }: FaultSource): boolean {
    return kind === 'foreign' && this.#deps.nodes.some(({ server }) => server.node.isForeign);
  }
}

function drawn<T>(items: readonly T[], random: Random): T | undefined {
  return items[random(Math.max(1, items.length))];
}
