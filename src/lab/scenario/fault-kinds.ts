import type { Scenario } from '../../../generated/lab.ts';

/** A source of faults, as a scenario has it. */
export type FaultSource = Scenario['faults'][number];
export type FaultPart = FaultSource['part'];
export type FaultKind = FaultSource['kind'];

/** How each part fails. */
export const FAULT_KINDS: { readonly [P in FaultPart]: readonly FaultKind[] } = {
  node: [
    ...(['lag', 'fork', 'stale', 'foreign', 'busy', 'error', 'reset', 'half_open'] as const),
    ...(['slow', 'slow_body', 'version', 'kill'] as const),
  ],
  gateway: ['kill', 'restart', 'replace', 'pause', 'cut_off'],
  postgres: ['kill', 'cut_off', 'pause'],
  redis: ['kill', 'cut_off', 'pause'],
  signer: ['kill', 'pause'],
  receiver: ['error', 'half_open', 'reset', 'cut_off'],
};

/** Faults with a number of slots, and the most that means anything: processed slots go back two at most before they pass confirmed ones. */
export const SLOTS: {
  readonly [K in FaultKind]?: { readonly fallback: readonly number[]; readonly most: number };
} = {
  lag: { fallback: [1, 20], most: 10_000 },
  fork: { fallback: [1, 2], most: 2 },
  stale: { fallback: [5, 40], most: 10_000 },
};
