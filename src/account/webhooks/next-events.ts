import { anyOf } from '../../store/any-of.ts';
import type { StoredRecord } from '../audit/read-chain.ts';
import { readChain } from '../audit/read-chain.ts';
import { auditRecords } from '../../store/audit-tables.ts';
import { and, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { auditEvent, auditEventType } from './audit-event.ts';
import type { WaitingDelivery, WorkingWebhook } from './find-work.ts';
import type { Outgoing } from './event.ts';
import { isWanted } from './wanted-types.ts';

/** Number of records that are read for one round of attempts. */
const READ_AT_ONCE = 200;

type ReadStore = Pick<Store, 'db' | 'batched'>;

/** Events after the position of a webhook, and the position after them. */
export type NextEvents = { readonly events: readonly Outgoing[]; readonly to: number };

/** Reads the next events of the audit log that a webhook wants, at most `limit`. */
export async function readNextEvents(
  store: ReadStore,
  { accountId, position, events: patterns, isOrdered }: WorkingWebhook,
  limit: number,
): Promise<NextEvents> {
  const records = await readChain(store, accountId, { fromSeq: position + 1, limit: READ_AT_ONCE });
  const wanted = records.filter(({ action }) => isWanted(patterns, auditEventType(action)));
  const taken = wanted.slice(0, limit);
  const last = wanted.length > limit ? taken.at(-1) : records.at(-1);
  return { events: taken.map((record) => outgoingOf(record, isOrdered, 0)), to: last?.seq ?? position };
}

/** Reads the events of waiting deliveries. A delivery whose record is deleted no longer has an event. */
export async function readWaitingEvents(
  { db }: ReadStore,
  accountId: string,
  deliveries: readonly WaitingDelivery[],
): Promise<readonly Outgoing[]> {
  const seqs = deliveries.flatMap(({ seq }) => seq ?? []);
  const records =
    seqs.length === 0
      ? []
      : await db
          .select()
          .from(auditRecords)
          .where(and(eq(auditRecords.accountId, accountId), anyOf(auditRecords.seq, seqs)));
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  return deliveries.flatMap(({ seq, body, eventId: id, type, walletId, failures }) => {
    if (body !== null) return [{ event: { id, type, body }, seq: null, walletId, failures }];
    const record = seq === null ? undefined : bySeq.get(seq);
    return record === undefined ? [] : [outgoingOf(record, walletId !== null, failures)];
  });
}

function outgoingOf(record: StoredRecord, isOrdered: boolean, failures: number): Outgoing {
  const { seq, walletId } = record;
  return { event: auditEvent(record), seq, walletId: isOrdered ? walletId : null, failures };
}
