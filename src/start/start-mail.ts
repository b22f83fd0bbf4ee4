import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { createMailer } from '../account/mail/mailer.ts';
import { createMemberMail, type MemberMail, type MemberMailParts } from '../account/mail/member-mail.ts';
import { createOutbox } from '../account/mail/outbox.ts';
import { createMailSending, MAIL_LEASE } from '../account/mail/send-mails.ts';
import type { MailMetrics } from '../account/mail/mail-metrics.ts';
import type { AccountPlane } from '../account/account-plane.ts';
import { leaveLease } from '../account/gateway/lease.ts';
import { repeatSteps } from '../account/repeat-steps.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';
import { serviceError } from '../base/service-error.ts';
import { readSmtpUrl, type SmtpServer } from '../config/smtp-url.ts';

export type MailParts = Pick<MemberMailParts, 'members' | 'baseUrl'> & {
  readonly config: Pick<Config, 'mail'>;
  readonly store: Store;
  readonly account: Pick<AccountPlane, 'installationKey' | 'ownerId'>;
  readonly metrics: MailMetrics;
  readonly clock: Clock;
  readonly log: Logger;
};

const WHERE = 'mail';
/** How often the outbox is looked at. */
const LOOK_MS = 2_000;

/** Returns the mail of the settings; undefined where they name no mail server. @throws ServiceError `invalidConfig`. */
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
    failure: 'the mails that wait cannot be looked at; trying again',
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
