import type { ChainServer } from '../nodes/chain-server.ts';
import type { Random } from '../random.ts';
import { within } from '../random.ts';
import { type FaultSource, SLOTS } from '../scenario/fault-kinds.ts';
import type { StartedFault } from './fault.ts';

/** A node of another ledger is not there for so long before: whoever starts one in the place of ours takes longer. */
const FOREIGN_DOWN_MS = 3_000;
const SLOW_MS = [50, 400];
const SLOW_BODY_MS = [100, 1_500];
const VERSIONS = ['4.0.3', '4.1.0', '4.5.1'];

type Deps = { readonly random: Random; readonly pause: (ms: number) => Promise<void> };

/** Begins a fault of a node. */
export async function beginNodeFault(
  server: ChainServer,
  { kind, slots }: FaultSource,
  { random, pause }: Deps,
): Promise<StartedFault> {
  const { node } = server;
  const count = within(random, slots ?? SLOTS[kind]?.fallback ?? [0]);
  const set = (changes: Partial<typeof node>, what: string): StartedFault => {
    Object.assign(node, changes);
    return { what, end: async () => mendNode(server) };
  };
  switch (kind) {
    case 'lag':
      return set({ lag: count }, `is ${count} slots behind`);
    case 'fork':
      return set({ forked: count }, `went back ${count} slots to another fork`);
    case 'stale':
      return set({ staleSlots: count }, `answers from ${count} slots ago and says it is up to date`);
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
      throw new Error(`a node has no fault ${kind}`);
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
