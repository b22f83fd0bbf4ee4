import type { LedgerClient } from '../../../../../generated/ledger/client.ts';
import type { AccountData } from '../../../../../generated/ledger/types.ts';

/** SPL Token and Token-2022. */
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
] as const;

const CONFIG = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;

/** Returns the token accounts of an owner, of both token programs. Throws CallError. */
export async function readTokenAccounts(ledger: LedgerClient, owner: string): Promise<readonly Holding[]> {
  const found = await Promise.all(
    TOKEN_PROGRAMS.map((programId) => ledger.getTokenAccountsByOwner(owner, { programId }, CONFIG)),
  );
  return found
    .flatMap(({ value }) => value)
    .map(({ pubkey, account }) => readHolding(pubkey, account.data))
    .filter((holding) => holding !== undefined);
}

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
