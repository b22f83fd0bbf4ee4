import type { MAIL_KINDS } from '../../store/mail-tables.ts';
import { Counter, Gauge, type Registry } from 'prom-client';

/** The kind of an email in the outbox. */
export type MailKind = (typeof MAIL_KINDS)[number];

/**
 * The outcome of an attempt, or of an email: `sent`; `failed`, to be retried; `refused` by the mail server for good; `expired`, because it
 * was of no more use; `dropped`, because too many were waiting.
 */
export type MailOutcome = 'sent' | 'failed' | 'refused' | 'expired' | 'dropped';

/** Figures of the outbox. */
export type MailMetrics = {
  readonly count: (kind: MailKind, outcome: MailOutcome) => void;
  /** Sets the number of emails that wait in the store, and the age of the oldest. */
  readonly setWaiting: (mails: number, oldestSeconds: number) => void;
};

/** Adds the metrics of email to a registry. */
export function createMailMetrics(registry: Registry): MailMetrics {
  const registers = [registry];
  const mails = new Counter({
    name: 'keyslot_mail_outcomes_total',
    help: 'Attempts to send an email, and emails that were given up, by kind of email and outcome',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'keyslot_mail_waiting',
    help: 'Emails of all servers on the store that the mail server has not accepted yet',
    registers,
  });
  const oldest = new Gauge({
    name: 'keyslot_mail_oldest_seconds',
    help: 'Time that the oldest of these emails has been waiting',
    registers,
  });
  return {
    count: (kind, outcome) => mails.inc({ kind, outcome }),
    setWaiting: (count, oldestSeconds) => {
      waiting.set(count);
      oldest.set(oldestSeconds);
    },
  };
}
