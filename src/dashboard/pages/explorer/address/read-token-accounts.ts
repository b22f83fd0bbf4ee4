import type { LedgerClient } from '../../../../../generated/ledger/client.ts';
import { type Holding, readHolding } from './read-holding.ts';

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
