import type { StoreTransaction } from '../../store/transaction.ts';
import { type AuditFact, appendAudit } from './append-audit.ts';

/** A fact of the audit log of an account. */
export type AccountFact = { readonly accountId: string; readonly fact: AuditFact };

/**
 * Appends facts to the audit logs of several accounts, as `appendAudit` does. The ends of chains are locked in one order, so that nobody
 * who does this waits for somebody who waits for it.
 */
export async function appendAudits(
  tx: StoreTransaction,
  facts: readonly AccountFact[],
  nowMs: number,
): Promise<void> {
  const logs = Map.groupBy(facts, ({ accountId }) => accountId);
  for (const [accountId, own] of [...logs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const ofLog = own.map(({ fact }) => fact);
    await appendAudit(tx, accountId, ofLog, nowMs);
  }
}
