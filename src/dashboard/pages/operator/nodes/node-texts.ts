import type { LedgerNode, NetworkNodes, NetworkState } from '../../../../../generated/account/types.ts';

/** What each state of a network means. */
export const STATES = {
  ready: { tone: 'good', meaning: 'The node that was asked last is up to date.' },
  unhealthy: { tone: 'warn', meaning: 'The node that was asked last has fallen behind.' },
  unavailable: { tone: 'bad', meaning: 'No node answered when it was asked last.' },
} as const satisfies Record<NetworkState, unknown>;

/** How well a node is that stands so. */
export const STANDINGS = {
  healthy: 'good',
  degraded: 'warn',
  down: 'bad',
  unverified: 'warn',
  foreign: 'bad',
} as const satisfies Record<LedgerNode['standing'], unknown>;

/** Where the length of a slot is known from, in words. */
export const PACE_SOURCES: Readonly<Record<NonNullable<NetworkNodes['slot_ms_from']>, string>> = {
  setting: 'from the settings',
  notifications: 'from slots that nodes announced',
  samples: 'from the performance samples of a node',
  slots: 'from the slots of a node',
};
