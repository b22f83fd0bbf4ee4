import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { mintAccount } from './localnet_setMint.ts';
import { setTokenAccount } from './localnet_setTokenAccount.ts';
import { surfnetContext } from './surfnet-answer.ts';

export const surfnetSetTokenAccount: LedgerHandler<Ledger, 'surfnet_setTokenAccount'> = async (
  ledger,
  owner,
  mint,
  changes,
  tokenProgram,
) => {
  await ledger.fork?.touch(ledger, [mint]);
  const program = mintAccount(ledger, mint).owner;
  if (tokenProgram !== null && tokenProgram !== undefined && tokenProgram !== program)
    throw serviceError('invalidParam', { reason: `the mint belongs to ${program}, not to ${tokenProgram}` });
  const { delegate, closeAuthority } = changes;
  await setTokenAccount(
    ledger,
    { owner, mint },
    { ...changes, delegate: noneOf(delegate), closeAuthority: noneOf(closeAuthority) },
  );
  return surfnetContext(ledger);
};

function noneOf(given: string | null | undefined): string | null {
  return given === 'null' ? 'none' : (given ?? null);
}
