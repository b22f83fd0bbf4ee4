import fc from 'fast-check';
import { rounds } from '../support/tier.ts';

/**
 * How many cases each property is tried with in a thorough run. They are at least 100,000 together; those in the process cost
 * microseconds, those over HTTP and over sockets of their own a part of a millisecond to some milliseconds.
 */
export const THOROUGH_CASES = {
  parser: 30_000,
  scanner: 20_000,
  params: 20_000,
  answers: 10_000,
  driftMembers: 4_000,
  driftAnswers: 2_000,
  exactSingle: 4_000,
  exactBatch: 1_000,
  exactIntegers: 3_000,
  exactDuplicates: 1_000,
  exactCached: 1_000,
  freshAnswers: 300,
  exactStreams: 30,
  httpBodies: 16_000,
  rawRequests: 3_000,
} as const;

type Property = keyof typeof THOROUGH_CASES;

/** The number of cases of a property in this run. A run that repeats another tries them all: the failure may have been at the last. */
export function casesOf(name: Property): number {
  return process.env.KEYSLOT_FUZZ_SEED === undefined ? rounds(THOROUGH_CASES[name]) : THOROUGH_CASES[name];
}

/** Tries a property with its number of cases, of which a run may take several. `KEYSLOT_FUZZ_SEED` repeats a run; the seed is printed for that. */
export async function tryCases<T extends [unknown, ...unknown[]]>(
  name: Property,
  property: fc.IAsyncPropertyWithHooks<T> | fc.IPropertyWithHooks<T>,
  casesPerRun = 1,
): Promise<void> {
  const seed = Number(process.env.KEYSLOT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const cases = casesOf(name);
  console.log(`${name}: ${cases} cases; to repeat them: KEYSLOT_FUZZ_SEED=${seed}`);
  await fc.assert(property, { seed, numRuns: cases / casesPerRun, endOnFailure: casesPerRun > 1 });
}
