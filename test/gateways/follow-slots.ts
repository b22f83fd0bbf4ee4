import { expect } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';

/** The slots that a stream was sent, by number. */
export type FollowedSlots = {
  readonly hashes: ReadonlyMap<bigint, string>;
  /** Waits for a number of them. */
  readonly has: (count: number) => Promise<true>;
  readonly close: () => Promise<void>;
};

/** Another one for each client: grpc-js gives clients with the same options one connection. */
let nextPauseMs = 200;

/** Follows the slots of a gateway by a connection of its own, from a slot on if it is given, until it is closed. */
export function followSlots({ grpcUrl }: Gateway, apiKey: string, resumeSlot?: bigint): FollowedSlots {
  const client = createStreamClient({ url: grpcUrl, apiKey, maxPauseMs: nextPauseMs++ });
  const leaving = new AbortController();
  const hashes = new Map<bigint, string>();
  const read = async (): Promise<void> => {
    const from = resumeSlot === undefined ? {} : { resumeSlot };
    const messages = client.subscribe('slots', { ...from, signal: leaving.signal });
    for await (const { slot, blockhash } of messages) hashes.set(slot, blockhash);
  };
  const reading = read();
  return {
    hashes,
    has: (count) =>
      eventually(`${count} slots`, () => hashes.size >= count || undefined, { timeoutMs: 120_000 }),
    close: async () => {
      leaving.abort();
      await reading;
      client.close();
    },
  };
}

/** Asserts that slots have no hole, and the hashes that others had. */
export function expectSameSlots(again: FollowedSlots['hashes'], before: ReadonlyMap<bigint, string>): void {
  const [first = 0n] = again.keys();
  expect([...again.keys()]).toEqual([...again.keys()].map((_, at) => first + BigInt(at)));
  for (const [slot, hash] of before) expect(again.get(slot) ?? hash).toBe(hash);
}

/** Waits until files of older blocks reach back to a slot without a hole, as the gateway, or a worker of it, tells. */
export function filesReachBackTo(gateway: Gateway, slot: bigint): Promise<true> {
  return eventually(
    `files are whole from slot ${slot} on`,
    async () => {
      const [firsts, holes] = [await fileMetric(gateway, 'first_slot'), await fileMetric(gateway, 'holes')];
      const isWhole = firsts.some((first, at) => first > 0 && first <= Number(slot) && holes[at] === 0);
      return isWhole || undefined;
    },
    { timeoutMs: 120_000 },
  );
}

/** Reads a metric of the files of older blocks: of the gateway, or of each of its workers. */
export async function fileMetric({ baseUrl }: Gateway, name: string): Promise<readonly number[]> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const samples = text.matchAll(new RegExp(`^keyslot_topics_files_${name}\\{[^}]*\\} (\\S+)$`, 'gm'));
  return Array.from(samples, ([, value]) => Number(value));
}
