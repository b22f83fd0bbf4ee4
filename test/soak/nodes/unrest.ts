import { setTimeout as pause } from 'node:timers/promises';
import type { NodeFault } from '../../../src/lab/nodes/chain-node.ts';
import type { Random } from '../../../src/lab/random.ts';
import type { ChainServer } from '../../../src/lab/nodes/chain-server.ts';

const FAULTS: readonly (NodeFault | 'killed' | undefined)[] = [
  ...[undefined, undefined, undefined, undefined],
  ...(['killed', 'breaks', 'hangs', 'internal', 'busy'] as const),
];
const LAGS = [0, 0, 0, 1, 3, 8, 20];
/** For so long one node is sound; then the next one is, too, for a while before this one may fail. */
const SOUND_MS = 2_500;
const OVERLAP_MS = 1_500;

/** Lets nodes lag, take other forks, fail, die and return, until it is told to stop; at any time one of them is sound. */
export async function makeUnrest(
  servers: readonly ChainServer[],
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  let sound = new Set(servers.slice(0, 1));
  let turn = 0;
  const changeOthers = async (forMs: number): Promise<void> => {
    const untilMs = performance.now() + forMs;
    while (performance.now() < untilMs && !isOver()) {
      const server = servers[random(servers.length)];
      if (server !== undefined && !sound.has(server)) await change(server, random);
      await pause(20 + random(150));
    }
  };
  while (!isOver()) {
    await changeOthers(SOUND_MS);
    const next = servers[++turn % servers.length];
    if (next === undefined) return;
    await mend(next);
    sound = new Set([...sound, next]);
    await changeOthers(OVERLAP_MS);
    sound = new Set([next]);
  }
  for (const server of servers) await mend(server);
}

async function change(server: ChainServer, random: Random): Promise<void> {
  const fault = FAULTS[random(FAULTS.length)];
  if (fault === 'killed') {
    await server.kill();
    return;
  }
  if (!server.isUp) await server.start();
  const lag = LAGS[random(LAGS.length)] ?? 0;
  Object.assign(server.node, { fault, lag, forked: random(3), delayMs: random(4) === 0 ? random(60) : 0 });
}

async function mend(server: ChainServer): Promise<void> {
  Object.assign(server.node, { fault: undefined, lag: 0, forked: 0, delayMs: 0 });
  if (!server.isUp) await server.start();
}
