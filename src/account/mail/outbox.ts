import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sql } from '../../store/drizzle.ts';
import { outgoingMails } from '../../store/mail-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { InstallationKey } from '../installation-key.ts';
import type { MailKind, MailMetrics } from './mail-metrics.ts';
import type { Mail } from './mailer.ts';
import { sealMail } from './sealed-mail.ts';

/** A mail that waits for the mail server. */
export type OutgoingMail = {
  readonly kind: MailKind;
  readonly mail: Mail;
  /** When it is of no use any more. Default: three days later. */
  readonly expiresAt?: Date | undefined;
};

/** Mails of an installation that the mail server has not taken yet. */
export type Outbox = {
  /**
   * Adds mails in the transaction of what they tell: they are sent if it is committed, and only then. Of a full outbox they are dropped, and
   * the log says so.
   */
  readonly add: (tx: StoreTransaction, mails: readonly OutgoingMail[], nowMs: number) => Promise<void>;
};

export type OutboxOptions = {
  readonly installationKey: InstallationKey;
  readonly metrics: Pick<MailMetrics, 'count'>;
  readonly log: Pick<Logger, 'error'>;
  /** The most mails that wait. Default 10,000, of which 1,000 reset passwords: strangers ask for those. */
  readonly most?: { readonly all: number; readonly resets: number };
};

/** Mails that nothing else limits are tried for so long. */
const KEPT_MS = 3 * 86_400_000;
const MOST = { all: 10_000, resets: 1_000 };

/** Creates the outbox of an installation. */
export function createOutbox({ installationKey, metrics, log, most = MOST }: OutboxOptions): Outbox {
  return {
    add: async (tx, mails, nowMs) => {
      if (mails.length === 0) return;
      const room = await readRoom(tx, most);
      const rows = mails.flatMap(({ kind, mail, expiresAt }) => {
        if (room.all === 0 || (kind === 'password_reset' && room.resets === 0)) {
          metrics.count(kind, 'dropped');
          log.error({ kind }, 'a mail was dropped: too many are waiting for the mail server');
          return [];
        }
        room.all -= 1;
        if (kind === 'password_reset') room.resets -= 1;
        const id = randomUUID();
        const sealed = sealMail(installationKey, id, mail);
        const at = new Date(nowMs);
        const expires = expiresAt ?? new Date(nowMs + KEPT_MS);
        return [{ id, kind, sealed, createdAt: at, nextAt: at, expiresAt: expires }];
      });
      if (rows.length > 0) await tx.insert(outgoingMails).values(rows);
    },
  };
}

async function readRoom(tx: StoreTransaction, most: { readonly all: number; readonly resets: number }) {
  const { rows } = await tx.execute<{ readonly all: string; readonly resets: string }>(sql`
    select count(*) as all, count(*) filter (where kind = 'password_reset') as resets from outgoing_mails`);
  const [waiting] = rows;
  const left = (limit: number, count: string | undefined): number => Math.max(0, limit - Number(count ?? 0));
  return { all: left(most.all, waiting?.all), resets: left(most.resets, waiting?.resets) };
}
