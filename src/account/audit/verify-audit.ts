import { auditHeads, auditTips } from '../../store/audit-tables.ts';
import { eq, max, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { createStatement } from '../../store/statement.ts';
import { type AuditProblem, ChainFindings, type TrustedKeys } from './chain-findings.ts';
import { verifyChain } from './verify-chain.ts';
import { verifyHeadsFile } from './verify-heads-file.ts';

export type AuditReport = {
  readonly accountId: string;
  readonly records: number;
  /** No change up to this record goes unnoticed; 0 if no head was signed or none could be checked. */
  readonly signedUpTo: number;
  /** The first 100. */
  readonly problems: readonly AuditProblem[];
};

export type AuditVerdict = {
  /** True when nothing is wrong anywhere. */
  readonly isSound: boolean;
  readonly accounts: readonly AuditReport[];
  /** Numbers of lines of the heads file, from 1, that do not hold a head: the first 100. */
  readonly damagedLines: readonly number[];
  /** The keys that signed the trusted heads, in hex. */
  readonly signedBy: readonly string[];
};

export type AuditDeps = {
  readonly store: Store;
  readonly headsFile: string;
  readonly trustedKeys: TrustedKeys;
};

/** The accounts that have stored heads, each found by a look into the index, and the record of the last one. */
const selectLastHeads = createStatement<
  Record<string, never>,
  { readonly account_id: string; readonly seq: number | string }
>(
  () => sql`
    with recursive owner (account_id) as (
      (select account_id from audit_heads order by account_id limit 1)
      union all
      select (select next.account_id from audit_heads next where next.account_id > owner.account_id order by next.account_id limit 1)
      from owner where owner.account_id is not null
    )
    select account_id, (select max(seq) from audit_heads head where head.account_id = owner.account_id) as seq
    from owner where account_id is not null`,
);

/**
 * Verifies the audit log of one account, or of all. docs/decisions/0020-audit-chain.md says which changes it finds and which nobody can find. It
 * may run while records are added, and takes no more memory for more records or heads.
 */
export async function verifyAudit(deps: AuditDeps, accountId?: string): Promise<AuditVerdict> {
  const { store, trustedKeys } = deps;
  // In this order: the records behind a head or a tip were written before it.
  const { chains, damagedLines } = await verifyHeadsFile(store, deps, accountId);
  const lastHeads = await readLastHeads(store, accountId);
  const tips = await readTips(store, accountId);
  const accounts: AuditReport[] = [];
  const signedBy = new Set<string>();
  for (const owner of [...new Set([...tips.keys(), ...lastHeads.keys(), ...chains.keys()])].sort()) {
    const findings = chains.get(owner) ?? new ChainFindings(trustedKeys);
    const chain = { accountId: owner, tip: tips.get(owner) ?? 0, lastHead: lastHeads.get(owner) ?? 0 };
    const records = await verifyChain(store, chain, findings);
    const { signedUpTo, problems } = findings;
    accounts.push({ accountId: owner, records, signedUpTo, problems });
    for (const key of findings.signedBy) signedBy.add(key);
  }
  const isSound = damagedLines.length === 0 && accounts.every(({ problems }) => problems.length === 0);
  return { isSound, accounts, damagedLines, signedBy: [...signedBy] };
}

async function readLastHeads(
  { db }: Store,
  accountId: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (accountId !== undefined) {
    const isOwn = eq(auditHeads.accountId, accountId);
    const [last] = await db
      .select({ seq: max(auditHeads.seq) })
      .from(auditHeads)
      .where(isOwn);
    const seq = last?.seq ?? undefined;
    return new Map(seq === undefined ? [] : [[accountId, seq]]);
  }
  const { rows } = await selectLastHeads(db, {});
  return new Map(rows.map(({ account_id, seq }) => [account_id, Number(seq)]));
}

async function readTips({ db }: Store, accountId: string | undefined): Promise<ReadonlyMap<string, number>> {
  const { accountId: owner, seq } = auditTips;
  const tips = await db
    .select({ owner, seq })
    .from(auditTips)
    .where(accountId === undefined ? undefined : eq(owner, accountId));
  return new Map(tips.map((tip) => [tip.owner, tip.seq]));
}
