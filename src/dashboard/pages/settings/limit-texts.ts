import type { LimitKind } from '../../../../generated/account/types.ts';

/** A limit in words. */
export type LimitText = {
  readonly title: string;
  /** The unit of the limit. */
  readonly of: string;
  /** The label of the field for the wanted limit. */
  readonly wanted: string;
};

/** Every limit; the compiler checks them against the specification. */
export const LIMIT_TEXTS: Readonly<Record<LimitKind, LimitText>> = {
  plan: { title: 'Plan', of: 'JSON-RPC, WebSocket and streams', wanted: 'Name of the plan' },
  wallet_create: { title: 'Creating wallets', of: 'requests a minute', wanted: 'Requests a minute' },
  wallet_use: {
    title: 'Using wallets',
    of: 'requests a second that fetch, sign with or destroy wallets',
    wanted: 'Requests a second',
  },
};

/** Every limit, in that order. */
export const LIMIT_NAMES = Object.keys(LIMIT_TEXTS).filter(isLimit);

/** True for the name of a limit. */
export function isLimit(name: string): name is LimitKind {
  return Object.hasOwn(LIMIT_TEXTS, name);
}
