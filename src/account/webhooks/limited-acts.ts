import { randomUUID } from 'node:crypto';
import { and, asc, eq, gt, lt } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { webhookActs } from '../../store/webhook-tables.ts';

type Act = typeof webhookActs.$inferSelect;

/** Returns acts on the webhooks of an account after an instant, oldest first, also on those that are deleted. */
export function readActs(
  tx: StoreTransaction,
  { accountId, kind }: Pick<Act, 'accountId' | 'kind'>,
  sinceMs: number,
): Promise<readonly Act[]> {
  const { accountId: ofAccount, kind: is, at } = webhookActs;
  return tx
    .select()
    .from(webhookActs)
    .where(and(eq(ofAccount, accountId), eq(is, kind), gt(at, new Date(sinceMs))))
    .orderBy(asc(at));
}

/** Notes an act on a webhook. */
export async function noteAct(
  tx: StoreTransaction,
  { accountId, id: webhookId }: { readonly accountId: string; readonly id: string },
  kind: Act['kind'],
  nowMs: number,
): Promise<void> {
  await tx.insert(webhookActs).values({ id: randomUUID(), accountId, webhookId, kind, at: new Date(nowMs) });
}

const DAY_MS = 86_400_000;

/**
 * Notes an email about a stop of a webhook, in the transaction that records the stop: with the audit log locked, those of an account are
 * counted one at a time.
 *
 * @returns false, and notes nothing, if there was one about this webhook in the last 24 hours, or `mostOfAccount` about the account's.
 */
export async function claimStopEmail(
  tx: StoreTransaction,
  own: { readonly accountId: string; readonly id: string },
  mostOfAccount: number,
  nowMs: number,
): Promise<boolean> {
  const kind = 'stop_email';
  const acts = await readActs(tx, { accountId: own.accountId, kind }, nowMs - DAY_MS);
  if (acts.length >= mostOfAccount || acts.some(({ webhookId }) => webhookId === own.id)) return false;
  await noteAct(tx, own, kind, nowMs);
  return true;
}

/** Longer than any limit counts. */
const KEPT_MS = 2 * DAY_MS;

/** Deletes the acts that no limit counts any more. */
export async function purgeActs({ db }: Pick<Store, 'db'>, nowMs: number): Promise<void> {
  await db.delete(webhookActs).where(lt(webhookActs.at, new Date(nowMs - KEPT_MS)));
}
