import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { latestBlockhash } from '../blocks/latest-blockhash.ts';
import type { Ledger } from '../ledger.ts';
import { airdropTransaction } from '../transaction/airdrop.ts';

/** Always lands, possibly with an error: for an amount below the rent exemption, or above the faucet's balance. */
export const requestAirdrop: LedgerHandler<Ledger, 'requestAirdrop'> = (ledger, to, lamports, config) => {
  const { slot } = viewBank(ledger, { commitment: config?.commitment });
  const blockhash = config?.recentBlockhash ?? latestBlockhash(ledger, slot).blockhash;
  const transaction = airdropTransaction(ledger, { to, lamports: BigInt(lamports), blockhash });
  ledger.submit(transaction);
  return transaction.signatures[0] ?? '';
};
