import type { AccountData } from '../../../../../generated/ledger/types.ts';

/** A token account. */
export type Holding = {
  readonly address: string;
  readonly mint: string;
  readonly state: string;
  /** Exact, in units of the mint. */
  readonly amount: string;
};

/** Returns the token account that the data is; undefined if the node could not parse it as one. */
export function readHolding(address: string, data: AccountData): Holding | undefined {
  if (typeof data === 'string' || !('parsed' in data)) return undefined;
  if (data.program !== 'spl-token' && data.program !== 'spl-token-2022') return undefined;
  if (!('type' in data.parsed) || data.parsed.type !== 'account') return undefined;
  const { mint, state, tokenAmount } = data.parsed.info;
  return { address, mint, state, amount: tokenAmount.uiAmountString };
}
