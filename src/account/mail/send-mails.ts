import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { asc, eq, lte, sql } from '../../store/drizzle.ts';
import { outgoingMails } from '../../store/mail-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { holdLease } from '../gateway/lease.ts';
import type { InstallationKey } from '../installation-key.ts';
import type { MailMetrics } from './mail-metrics.ts';
import { mailPauseAfter } from './mail-pauses.ts';
import type { Mailer } from './mailer.ts';
import { maskAddress } from './mask-address.ts';
import { openMail } from './sealed-mail.ts';

export type SendingParts = {
  readonly store: Pick<Store, 'db'>;
  readonly installationKey: InstallationKey;
  /** This process in `gateways`. */
  readonly gatewayId: string;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly metrics: MailMetrics;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
};

type Row = typeof outgoingMails.$inferSelect;

/** What one process alone of those on a store does. */
export const MAIL_LEASE = 'mail';
/** Mails of a step, and those that are sent side by side: each is a connection. */
const STEP = 20;
const AT_ONCE = 5;

/**
 * Creates the work on the outbox, at least once for each mail: it sends those that are due, soonest to expire first, while this process has
 * the lease.
 *
 * @returns a function that does a bounded step, and resolves to true if there is more to do now; `stop` ends a step before its next mail.
 */
export function createMailSending(parts: SendingParts) {
  const { store, gatewayId, metrics, clock, log } = parts;
  const state: State = { isFailing: false, isStopped: false };
  const step = async (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    const { waiting, oldestMs, due } = await readWaiting(store, nowMs);
    metrics.setWaiting(waiting, waiting === 0 ? 0 : Math.max(0, nowMs - oldestMs) / 1_000);
    if (due === 0 || !(await holdLease(store, MAIL_LEASE, gatewayId))) return false;
    const { nextAt, expiresAt, id } = outgoingMails;
    const rows = await store.db
      .select()
      .from(outgoingMails)
      .where(lte(nextAt, new Date(nowMs)))
      .orderBy(asc(expiresAt), asc(id))
      .limit(STEP);
    const left = [...rows];
    const work = async (): Promise<void> => {
      for (let row = left.shift(); row !== undefined && !state.isStopped; row = left.shift())
        await sendOne(parts, row, state);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (rows.length === STEP && state.isFailing)
      log.warn({ waiting }, 'mails are waiting for the mail server');
    return rows.length === STEP;
  };
  const stop = (): void => {
    state.isStopped = true;
  };
  return { step, stop };
}

type State = { isFailing: boolean; isStopped: boolean };

async function sendOne(parts: SendingParts, row: Row, state: State): Promise<void> {
  const { store, metrics, clock, log } = parts;
  const { id, kind, expiresAt } = row;
  const end = async (outcome: 'sent' | 'refused' | 'expired'): Promise<void> => {
    await store.db.delete(outgoingMails).where(eq(outgoingMails.id, id));
    metrics.count(kind, outcome);
  };
  const giveUp = async (): Promise<void> => {
    log.error({ kind, mail: id }, 'a mail was not sent in time; it is not sent any more');
    await end('expired');
  };
  if (expiresAt.getTime() <= clock.nowMs()) return giveUp();
  const { outcome, to } = await attempt(parts, row);
  if (outcome.kind === 'taken') {
    if (state.isFailing) log.info('mails are sent again');
    state.isFailing = false;
    return end('sent');
  }
  const { reason } = outcome;
  if (outcome.kind === 'refused') {
    log.warn({ kind, mail: id, to: maskAddress(to), reason }, 'the mail server refused a mail for good');
    return end('refused');
  }
  if (state.isStopped) return;
  if (!state.isFailing) log.error({ kind, mail: id, reason }, 'mails cannot be sent; trying again');
  state.isFailing = true;
  metrics.count(kind, 'failed');
  const attempts = row.attempts + 1;
  const nextAt = new Date(clock.nowMs() + mailPauseAfter(attempts));
  if (nextAt >= expiresAt) return giveUp();
  await store.db.update(outgoingMails).set({ attempts, nextAt }).where(eq(outgoingMails.id, id));
}

async function attempt({ installationKey, mailer }: SendingParts, { id, sealed }: Row) {
  try {
    const mail = openMail(installationKey, id, sealed);
    return { to: mail.to, outcome: await mailer.send(mail, id) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { to: '', outcome: { kind: 'failed', reason } as const };
  }
}

type Waiting = { readonly waiting: string; readonly oldest: string | null; readonly due: string };

async function readWaiting({ db }: Pick<Store, 'db'>, nowMs: number) {
  const { rows } = await db.execute<Waiting>(sql`
    select count(*) as waiting, extract(epoch from min(created_at)) as oldest,
      count(*) filter (where next_at <= ${new Date(nowMs).toISOString()}::timestamptz) as due
    from outgoing_mails`);
  const [row] = rows;
  const oldestMs = Number(row?.oldest ?? 0) * 1_000;
  return { waiting: Number(row?.waiting ?? 0), oldestMs, due: Number(row?.due ?? 0) };
}
