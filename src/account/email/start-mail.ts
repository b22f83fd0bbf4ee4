import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import { createMailer, type Mailer } from './mailer.ts';
import {
  createMemberMail,
  type MemberMail,
  type MemberMailParts,
  createOutbox,
  openMail,
} from './member-mail.ts';
import type { MailMetrics } from './mail-metrics.ts';
import type { AccountPlane } from '../setup/account-plane.ts';
import { leaveLease, holdLease } from '../processes/lease.ts';
import { repeatSteps } from '../../core/repeat-steps.ts';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/open-store.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { serviceError } from '../../core/service-error.ts';
import { readSmtpUrl, type SmtpServer } from '../../core/config/smtp-url.ts';
import { asc, eq, lte, sql } from '../../store/drizzle.ts';
import { outgoingMails } from '../../store/mail-tables.ts';
import type { InstallationKey } from '../sealing/installation-key.ts';

export type MailParts = Pick<MemberMailParts, 'members' | 'baseUrl'> & {
  readonly config: Pick<Config, 'mail'>;
  readonly store: Store;
  readonly account: Pick<AccountPlane, 'installationKey' | 'ownerId'>;
  readonly metrics: MailMetrics;
  readonly clock: Clock;
  readonly log: Logger;
};

const WHERE = 'mail';
/** Interval at which the outbox is checked. */
const LOOK_MS = 2_000;

/** Returns the email service of the settings; undefined if they name no mail server. @throws ServiceError `invalidConfig`. */
export async function startMail({
  config,
  store,
  account: { installationKey, ownerId: gatewayId },
  metrics,
  clock,
  log,
  ...parts
}: MailParts): Promise<MemberMail | undefined> {
  const { from } = config.mail;
  const server = await readMailServer(config.mail);
  if (server === undefined || from === undefined) return undefined;
  const mailer = createMailer({ server, from });
  const outbox = createOutbox({ installationKey, metrics, log });
  const mail = createMemberMail({ ...parts, mailer, outbox, log });
  const sending = createMailSending({ store, installationKey, gatewayId, mailer, metrics, clock, log });
  const stopSteps = repeatSteps({
    step: () => withStoreErrors(WHERE, sending.step),
    failure: 'cannot check the email queue; retrying',
    restMs: LOOK_MS,
    log,
  });
  return {
    ...mail,
    close: async () => {
      sending.stop();
      await mail.close();
      await stopSteps();
      await leaveLease(store, MAIL_LEASE, gatewayId);
    },
  };
}

/** Reads the mail server of the settings; undefined if they name none. @throws ServiceError `invalidConfig`. */
export async function readMailServer({ smtp_url: url, smtp_url_file: file }: Config['mail']) {
  if (url !== undefined) return readSmtpUrl(url);
  if (file === undefined) return undefined;
  const named = `mail.smtp_url_file (KEYSLOT_MAIL_SMTP_URL_FILE) ${file}`;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('invalidConfig', { problems: `${named}: ${reason}` }, error);
  });
  const server: SmtpServer | undefined = readSmtpUrl(text);
  if (server !== undefined) return server;
  throw serviceError('invalidConfig', {
    problems: `${named} has no URL such as smtps://user:password@mail.example.com:465`,
  });
}

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

/** The lease on sending, which only one process on a store holds. */
const MAIL_LEASE = 'mail';
/** Number of emails in a step, which are sent concurrently: each takes a connection. */
const STEP = 20;
const AT_ONCE = 5;

/**
 * Creates the work on the outbox, at least once for each email: it sends those that are due, soonest to expire first, while this process
 * has the lease.
 *
 * @returns a function that does a bounded step, and resolves to true if there is more to do now; `stop` ends a step before its next email.
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
      log.warn({ waiting }, 'emails are waiting for the mail server');
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
    log.error({ kind, mail: id }, 'an email expired before it could be sent; it is dropped');
    await end('expired');
  };
  if (expiresAt.getTime() <= clock.nowMs()) return giveUp();
  const { outcome, to } = await attempt(parts, row);
  if (outcome.kind === 'taken') {
    if (state.isFailing) log.info('emails are being sent again');
    state.isFailing = false;
    return end('sent');
  }
  const { reason } = outcome;
  if (outcome.kind === 'refused') {
    log.warn(
      { kind, mail: id, to: maskAddress(to), reason },
      'the mail server permanently rejected an email',
    );
    return end('refused');
  }
  if (state.isStopped) return;
  if (!state.isFailing) log.error({ kind, mail: id, reason }, 'cannot send emails; retrying');
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

/** Masks an address for logs: the first letter, and the domain. */
function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '…' : `${address.slice(0, 1)}…${address.slice(at)}`;
}

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/** The pauses after failed attempts; the last one is repeated until the email expires. */
const PAUSES_MS = [
  ...[10 * SECOND_MS, 30 * SECOND_MS],
  ...[2, 5, 10, 20, 40].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4].map((hours) => hours * HOUR_MS),
];
/** Pauses are longer by up to this share, so that emails that failed together are not retried together. */
const JITTER = 0.2;

/** Returns the pause after a failed attempt to send an email. @param attempts their number so far, from 1. @param random from 0 to 1. */
function mailPauseAfter(attempts: number, random = Math.random()): number {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? HOUR_MS;
  return Math.round(pause * (1 + JITTER * random));
}
