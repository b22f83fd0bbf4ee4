import { Counter, Gauge, type Registry } from 'prom-client';
import type { MailMetrics } from '../account/mail/mail-metrics.ts';

/** Adds the metrics of mail to a registry. */
export function createMailMetrics(registry: Registry): MailMetrics {
  const registers = [registry];
  const mails = new Counter({
    name: 'keyslot_mail_outcomes_total',
    help: 'Attempts to send a mail, and mails that were given up, by what the mail is about and what came of it',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'keyslot_mail_waiting',
    help: 'Mails of all servers on the store that the mail server has not taken yet',
    registers,
  });
  const oldest = new Gauge({
    name: 'keyslot_mail_oldest_seconds',
    help: 'For how long the oldest of these mails has been waiting',
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
