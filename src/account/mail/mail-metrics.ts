import type { MAIL_KINDS } from '../../store/mail-tables.ts';

/** What a mail of the outbox is about. */
export type MailKind = (typeof MAIL_KINDS)[number];

/**
 * What became of an attempt, or of a mail: `sent`; `failed`, to be tried again; `refused` by the mail server for good; `expired`, since it was
 * of no use any more; `dropped`, since too many were waiting.
 */
export type MailOutcome = 'sent' | 'failed' | 'refused' | 'expired' | 'dropped';

/** Figures of the outbox. */
export type MailMetrics = {
  readonly count: (kind: MailKind, outcome: MailOutcome) => void;
  /** Sets how many mails wait in the store, and for how long the oldest of them has. */
  readonly setWaiting: (mails: number, oldestSeconds: number) => void;
};
