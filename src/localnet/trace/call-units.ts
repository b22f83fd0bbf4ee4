import * as programs from '../addresses/program-ids.ts';
import type { Call } from './call-tree.ts';

/**
 * Compute units of the built-in programs, which the runtime does not log: each takes the same for every instruction (agave,
 * `DEFAULT_COMPUTE_UNITS` of each; the precompiles take none).
 */
const BUILT_IN: ReadonlyMap<string, bigint> = new Map([
  [programs.SYSTEM_PROGRAM, 150n],
  [programs.COMPUTE_BUDGET_PROGRAM, 150n],
  [programs.VOTE_PROGRAM, 2_100n],
  [programs.UPGRADEABLE_LOADER, 2_370n],
  [programs.BPF_LOADER, 570n],
  [programs.LOADER_DEPRECATED, 1_140n],
  [programs.LOADER_V4, 2_000n],
  [programs.ED25519_PROGRAM, 0n],
  [programs.SECP256K1_PROGRAM, 0n],
  [programs.SECP256R1_PROGRAM, 0n],
]);

/** Returns the compute units of a call that ran, with those that it made; null if the runtime tells nothing of them. */
export function callUnits({ programId, logged }: Call): bigint | null {
  if (logged?.units != null) return logged.units;
  const failure = typeof logged?.end === 'object' ? logged.end.failed : '';
  // One that is left with less than it costs takes what is left.
  return /budget exceeded/i.test(failure) ? null : (BUILT_IN.get(programId) ?? null);
}
