import { appendAudit } from '../account/audit/append-audit.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import type { WalletContext } from './wallet-context.ts';

/** What happened to a wallet, or to a number of client wallets, which have no ids. */
export type WalletFact = {
  /** As spec/wallets names it: `create`, `fetch`, `sign`, `destroy`. */
  readonly action: string;
  /** `ok`; `replayed`: the answer of an earlier request; `interrupted`; or the code of a problem. */
  readonly outcome: string;
  readonly walletId?: string;
  readonly units?: number;
};

/** Adds to the audit log of the caller, last in the transaction. */
export function audit(
  tx: StoreTransaction,
  { caller: { accountId, tokenId, requestId }, clock }: WalletContext,
  facts: readonly WalletFact[],
): Promise<void> {
  const full = facts.map((fact) => ({ ...fact, tokenId, requestId }));
  return appendAudit(tx, accountId, full, clock.nowMs());
}
