import { type Random, randomOf } from '../../../src/lab/random.ts';

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
