/** Whole numbers from 0 to below a bound, the same ones for the same seed (mulberry32). */
export type Random = (below: number) => number;

/** The numbers of a seed. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** A whole number from the first to the last one of a span, both included. */
export function within(random: Random, [least = 0, most = least]: readonly number[]): number {
  return least + random(most - least + 1);
}

/** A new run has new numbers; `KEYSLOT_FUZZ_SEED` repeats one. The seed is printed for that. */
export function seededRandom(name: string): Random {
  const seed = Number(process.env.KEYSLOT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: the same moments again with KEYSLOT_FUZZ_SEED=${seed}`);
  return randomOf(seed);
}

/** The first, the last and up to `others` more of a list. */
export function sampleOf<T>(list: readonly T[], others: number, random: Random): readonly T[] {
  if (list.length <= others + 2) return list;
  const chosen = new Set([0, list.length - 1]);
  while (chosen.size < others + 2) chosen.add(random(list.length));
  return [...chosen].flatMap((at) => list.slice(at, at + 1));
}
