import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';
import { viewBank } from '../bank/bank-view.ts';
import { mintAmount } from '../encode/token-amount.ts';
import { readMint } from '../encode/token-layout.ts';
import type { Ledger } from '../ledger.ts';

/** Nodes use another message here than in other mint look-ups. */
export const getTokenSupply: LedgerHandler<Ledger, 'getTokenSupply'> = (ledger, address, config) => {
  const { slot, context } = viewBank(ledger, config);
  const account = ledger.accounts.read(address, slot);
  if (account === undefined) throw serviceError('invalidParam', { reason: 'could not find account' });
  if (!isTokenProgram(account.owner)) throw serviceError('invalidParam', { reason: 'not a Token mint' });
  const mint = readMint(account.data);
  if (mint === undefined) throw serviceError('invalidParam', { reason: 'mint could not be unpacked' });
  return { context, value: mintAmount(mint.supply, mint, ledger.blocks.time(slot)) };
};
