import {
  type AuditFact,
  appendAudit,
  appendAuditInOwnTransaction,
  createConditionalAudit,
  type Tip,
} from '../account/audit/append-audit.ts';
import { sql } from '../store/drizzle.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { Executes } from '../store/statement.ts';
import type { AuditCharge } from '../../runtime/audit-bytes.ts';
import { isDestroyed } from './managed/find-wallet.ts';
import { withStore } from './transact.ts';
import type { WalletContext } from './wallet-context.ts';

/** An event of a wallet, or of a number of client wallets, which have no ids. */
export type WalletFact = {
  /** As spec/wallets names it: `create`, `fetch`, `sign`, `destroy`. */
  readonly action: string;
  /**
   * `ok`; `replayed`: the answer of an earlier request, wallets that it was charged for and that did not arrive, or a destruction that is
   * recorded already; `interrupted`; or the code of a problem.
   */
  readonly outcome: string;
  readonly walletId?: string;
  readonly units?: number;
  /** Address that a refused request came from. */
  readonly address?: string | undefined;
  /** The charges of the transaction that records the fact. */
  readonly charges?: readonly AuditCharge[];
};

/** Returns facts, the first of which has the charges of their transaction. */
export function charging(
  facts: readonly WalletFact[],
  charges: readonly (AuditCharge | undefined)[],
): readonly WalletFact[] {
  const made = charges.filter((charge) => charge !== undefined);
  return facts.map((fact, at) => (at === 0 && made.length > 0 ? { ...fact, charges: made } : fact));
}

/** Appends facts to the caller's audit log, last in the transaction. `locked`: see `appendAudit`. */
export function audit(
  tx: StoreTransaction,
  context: Pick<WalletContext, 'caller' | 'clock'>,
  facts: readonly WalletFact[],
  locked?: Tip,
): Promise<void> {
  const { caller, clock } = context;
  return appendAudit(tx, caller.accountId, toAuditFacts(context, facts), clock.nowMs(), locked);
}

const appendIfThere = createConditionalAudit(
  (place) => sql`exists (
    select from wallets where id = any(${place('walletId')}::text[]) and account_id = ${place('ownerId')} and not ${isDestroyed}
  )`,
);

/** Appends a fact about an existing wallet of the caller, in one such statement. Returns false if it did not. */
export function auditIfExists(db: Executes, context: WalletContext, fact: WalletFact): Promise<boolean> {
  const { caller, clock } = context;
  return appendIfThere(db, caller.accountId, toAuditFact(context, fact), clock.nowMs());
}

/** Appends one fact to the caller's audit log when nothing else is written. @throws ServiceError `storeUnavailable`. */
export function auditInOwnTransaction(context: WalletContext, fact: WalletFact): Promise<void> {
  const { store, caller, clock } = context;
  const facts = toAuditFacts(context, [fact]);
  return withStore(() => appendAuditInOwnTransaction(store, caller.accountId, facts, clock.nowMs()));
}

function toAuditFacts(
  context: Pick<WalletContext, 'caller'>,
  facts: readonly WalletFact[],
): readonly AuditFact[] {
  return facts.map((fact) => toAuditFact(context, fact));
}

function toAuditFact(
  { caller: { tokenId, member, requestId } }: Pick<WalletContext, 'caller'>,
  fact: WalletFact,
): AuditFact {
  const who = member === undefined ? { tokenId } : { memberId: member.memberId };
  return { ...fact, ...who, requestId };
}
