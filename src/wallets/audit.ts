import { type AuditFact, appendAudit, appendAuditAlone } from '../account/audit/append-audit.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import { withStore } from './transact.ts';
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
  context: WalletContext,
  facts: readonly WalletFact[],
): Promise<void> {
  const { caller, clock } = context;
  return appendAudit(tx, caller.accountId, toAuditFacts(context, facts), clock.nowMs());
}

/** Adds one fact to the audit log of the caller, with which nothing else is written. @throws ServiceError `storeUnavailable`. */
export function auditAlone(context: WalletContext, fact: WalletFact): Promise<void> {
  const { store, caller, clock } = context;
  const facts = toAuditFacts(context, [fact]);
  return withStore(() => appendAuditAlone(store, caller.accountId, facts, clock.nowMs()));
}

function toAuditFacts(
  { caller: { tokenId, requestId } }: WalletContext,
  facts: readonly WalletFact[],
): readonly AuditFact[] {
  return facts.map((fact) => ({ ...fact, tokenId, requestId }));
}
