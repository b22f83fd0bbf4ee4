import type { Installation, LabNode } from '../gateways/installation.ts';
import type { EventReceiver } from '../receiver/event-receiver.ts';
import type { ChainServer } from '../nodes/chain-server.ts';
import { type Random, within } from '../random.ts';
import type { Timeline } from '../report.ts';
import type { FaultKind, FaultSource } from '../scenarios.ts';
import {
  type StartedFault,
  beginGatewayFault,
  beginSignerFault,
  beginWayFault,
  killService,
} from './gateway-faults.ts';

export type FaultDeps = Pick<Installation, 'nodes' | 'gateways' | 'shared' | 'receiver'> & {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly over: AbortSignal;
  /** Resolves after `ms` milliseconds, or when it is over. */
  readonly pause: (ms: number) => Promise<void>;
};

/** The time one node is sound; then the next one is too, until gateways have seen that, before this one may fail. */
const SOUND_MS = 4_000;
const OVERLAP_MS = 5_000;

type Running = { readonly end: () => Promise<void> };
type Found = {
  readonly target: string;
  readonly lock: string;
  readonly begin: () => Promise<StartedFault | undefined>;
};

/** The interval between faults of a source and the length of each, in milliseconds from-to, unless it says otherwise. */
const EVERY = [1_000, 5_000];
const LASTS = [500, 3_000];

/**
 * Lets parts fail as the sources say, until it is over; then everything is fixed. At any time one node is sound, one gateway at most
 * fails, and each part has one fault at a time.
 */
export async function runFaults(sources: readonly FaultSource[], deps: FaultDeps): Promise<void> {
  const state = new FaultState(deps);
  await Promise.all([state.keepSound(), ...sources.map((source) => state.run(source))]);
}

class FaultState {
  readonly #deps: FaultDeps;
  readonly #running = new Map<string, Running>();
  #sound: readonly (LabNode | undefined)[];

  constructor(deps: FaultDeps) {
    this.#deps = deps;
    this.#sound = [deps.nodes[0]];
  }

  /** Moves on to the next node that must be sound, and fixes it in time. */
  async keepSound(): Promise<void> {
    const { nodes, over, pause } = this.#deps;
    for (let turn = 1; !over.aborted; turn++) {
      await pause(SOUND_MS);
      const next = nodes[turn % nodes.length];
      this.#sound = [...this.#sound, next];
      await this.#running.get(`node ${next?.name}`)?.end();
      await pause(OVERLAP_MS);
      this.#sound = [next];
    }
  }

  async run(source: FaultSource): Promise<void> {
    const { random, over, pause, timeline } = this.#deps;
    const named = `${source.part} ${source.kind}`;
    for (;;) {
      await pause(within(random, source.every ?? EVERY));
      if (over.aborted) return;
      const found = this.#find(source);
      if (found === undefined) timeline.passedOver.set(named, (timeline.passedOver.get(named) ?? 0) + 1);
      else await this.#fail(source, found);
    }
  }

  /** Begins a fault, waits and ends it; a caller that needs the target sound before may end it earlier. */
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
      await Promise.race([pause(within(random, source.lasts ?? LASTS)), early.promise]);
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
        // Nodes of another ledger must not be most of them: one at a time.
        const isTooForeign = source.kind === 'foreign' && nodes.some(({ server }) => server.node.isForeign);
        const isFree = (each: LabNode): boolean =>
          !this.#sound.includes(each) && !this.#running.has(`node ${each.name}`) && !isTooForeign;
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
            target: gateway.name,
            lock: 'gateway',
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
        return source satisfies never;
    }
  }
}

function drawn<T>(items: readonly T[], random: Random): T | undefined {
  return items[random(Math.max(1, items.length))];
}

const RECEIVER_FAULTS: Readonly<Record<FaultKind<'receiver'>, string>> = {
  error: 'answers 500',
  half_open: 'takes events and answers nothing',
  reset: 'takes events and resets the connection',
  cut_off: 'takes no connections',
};

/** Begins a fault of the receiver of webhooks. */
function beginReceiverFault(receiver: EventReceiver, kind: FaultKind<'receiver'>): StartedFault {
  receiver.fail(kind);
  return { what: RECEIVER_FAULTS[kind], end: async () => receiver.mend() };
}

/** The time a node is down before one of another ledger takes its place: starting one takes longer. */
const FOREIGN_DOWN_MS = 3_000;
const SLOW_MS = [50, 400];
const SLOW_BODY_MS = [100, 1_500];
const VERSIONS = ['4.0.3', '4.1.0', '4.5.1'];

/** Slots that a node is behind. Processed slots go back two at most before they pass confirmed ones. */
const SLOTS = { lag: [1, 20], fork: [1, 2], stale: [5, 40] };

type Deps = { readonly random: Random; readonly pause: (ms: number) => Promise<void> };

/** Begins a fault of a node. */
async function beginNodeFault(
  server: ChainServer,
  { kind, slots }: FaultSource & { readonly part: 'node' },
  { random, pause }: Deps,
): Promise<StartedFault> {
  const { node } = server;
  const set = (changes: Partial<typeof node>, what: string): StartedFault => {
    Object.assign(node, changes);
    return { what, end: async () => mendNode(server) };
  };
  switch (kind) {
    case 'lag': {
      const lag = within(random, slots ?? SLOTS.lag);
      return set({ lag }, `is ${lag} slots behind`);
    }
    case 'fork': {
      const forked = within(random, slots ?? SLOTS.fork);
      return set({ forked }, `went back ${forked} slots to another fork`);
    }
    case 'stale': {
      const staleSlots = within(random, slots ?? SLOTS.stale);
      return set({ staleSlots }, `answers from ${staleSlots} slots ago and says it is up to date`);
    }
    case 'break_off':
      return set({ fault: 'breaks' }, 'takes calls and breaks off');
    case 'busy':
      return set({ fault: 'busy' }, 'answers 429');
    case 'error':
      return set({ fault: 'internal' }, 'answers internal errors');
    case 'half_open':
      return set({ fault: 'hangs' }, 'takes connections and answers nothing');
    case 'slow': {
      const delayMs = within(random, SLOW_MS);
      return set({ delayMs }, `answers ${delayMs} ms later`);
    }
    case 'version': {
      const version = VERSIONS[random(VERSIONS.length)] ?? '4.0.3';
      return set({ version }, `is of version ${version}`);
    }
    case 'slow_body': {
      const pauseMs = within(random, SLOW_BODY_MS);
      server.bodyFault = { kind: 'slow', pauseMs };
      return { what: `stops for ${pauseMs} ms in the middle of a body`, end: async () => mendNode(server) };
    }
    case 'reset':
      server.bodyFault = { kind: 'reset' };
      return { what: 'resets connections in the middle of a body', end: async () => mendNode(server) };
    case 'foreign': {
      const restart = async (isForeign: boolean): Promise<void> => {
        await server.kill();
        await pause(FOREIGN_DOWN_MS);
        node.isForeign = isForeign;
        await server.start();
      };
      await restart(true);
      return { what: 'is another ledger', end: () => restart(false) };
    }
    case 'kill':
      await server.kill();
      return { what: 'was killed', end: () => server.start() };
    default:
      return kind satisfies never;
  }
}

async function mendNode(server: ChainServer): Promise<void> {
  server.bodyFault = undefined;
  Object.assign(server.node, {
    fault: undefined,
    lag: 0,
    forked: 0,
    delayMs: 0,
    staleSlots: 0,
    version: '4.4.0',
  });
}
