/** Whether this run takes its time: that of `.ci/run` does, and one with KEYSLOT_TEST_THOROUGH=1. */
export const isThorough = process.env.CI !== undefined || process.env.KEYSLOT_TEST_THOROUGH === '1';

/**
 * How often a test does again what goes wrong only sometimes: `all` times in a thorough run; a fifth of it, at least twice, in `make test`,
 * which somebody waits for.
 */
export function rounds(all: number): number {
  return isThorough ? all : Math.max(2, Math.ceil(all / 5));
}
