import { base58 } from '@scure/base';
import type { Ledger } from '../../../src/localnet/ledger.ts';

const COLLECTOR_OFFSET = 68;
const BPS_OFFSET = 132;

/** Sets the commission of the ledger's vote account, which has the fourth layout, in the open slot. */
export function setCommission(
  { accounts, bank, blocks, genesis }: Ledger,
  { bps, collector }: { readonly bps: number; readonly collector?: string },
): void {
  const account = accounts.read(genesis.voteAddress, blocks.openSlot);
  if (account === undefined) throw new Error('the ledger has no vote account');
  const data = account.data.slice();
  new DataView(data.buffer).setUint16(BPS_OFFSET, bps, true);
  if (collector !== undefined) data.set(base58.decode(collector), COLLECTOR_OFFSET);
  bank.write(genesis.voteAddress, { ...account, data }, blocks.openSlot);
}
