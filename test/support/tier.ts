/** The tiers of tests, told by a file's suffix: `.test.ts` is in all three, `.slow.test.ts` not in `short`, `.long.test.ts` in `long` alone. */
const TIERS = ['short', 'all', 'long'] as const;

export type Tier = (typeof TIERS)[number];

/** The tier of this run: `make test` runs `short`, `make test-all` runs `all`, `make soak PART=long` runs `long`. */
export const TIER = tierNamed(process.env.KEYSLOT_TEST_TIER ?? 'short');

/** True for a thorough run: both store engines, every contract case, all rounds. */
export const isThorough = TIER !== 'short';

/** The repetitions of a test that fails only sometimes: `all` in a thorough run; a fifth of it, at least two, in the short tier. */
export function rounds(all: number): number {
  return isThorough ? all : Math.max(2, Math.ceil(all / 5));
}

function tierNamed(name: string): Tier {
  const tier = TIERS.find((each) => each === name);
  if (tier === undefined) throw new Error(`KEYSLOT_TEST_TIER is '${name}', expected ${TIERS.join(', ')}`);
  return tier;
}
