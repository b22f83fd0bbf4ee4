import fc from 'fast-check';
import { type ServedChain, serveChain } from '../../soak/nodes/chain-gateway.ts';
import { Session } from '../../soak/nodes/session.ts';
import { sessionSteps } from '../../soak/nodes/session-steps.ts';
import { makeUnrest } from '../../soak/nodes/unrest.ts';
import { seededRandom } from '../../wallets/kill/random.ts';

export type Played = {
  readonly faults: readonly string[];
  /** Gaps that users were told of. */
  readonly gaps: number;
  /** Reads that were sent to another node too. */
  readonly failovers: number;
};

/** Users of a server, so many at once, while its nodes lag, take other forks, die and return. */
export async function playSessions(sessions: number, atOnce: number): Promise<Played> {
  const chain = await serveChain();
  const random = seededRandom('sessions');
  const scripts = fc.sample(sessionSteps, { numRuns: sessions, seed: random(2 ** 31) }).entries();
  let isOver = false;
  const unrest = makeUnrest(chain.servers, random, () => isOver);
  const played = { faults: [] as string[], gaps: 0 };
  const playOn = async (): Promise<void> => {
    for (const [index, steps] of scripts) {
      const session = new Session(chain.gateway, `user-${index}`);
      await session.play(steps);
      played.faults.push(...session.faults.map((fault) => `user ${index}: ${fault}`));
      played.gaps += session.gaps;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, playOn));
  isOver = true;
  await unrest;
  const failovers = await failoversOf(chain);
  await chain.stop();
  return { ...played, faults: [...chain.takenAgain(), ...played.faults].slice(0, 20), failovers };
}

async function failoversOf({ gateway }: ServedChain): Promise<number> {
  const text = await (await fetch(gateway.metricsUrl)).text();
  const counts = text.matchAll(/^keyslot_node_failovers_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
