import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { createMailer } from '../account/mail/mailer.ts';
import { createMemberMail, type MemberMail, type MemberMailParts } from '../account/mail/member-mail.ts';
import { serviceError } from '../base/service-error.ts';
import { readSmtpUrl, type SmtpServer } from '../config/smtp-url.ts';

export type MailParts = Pick<MemberMailParts, 'members' | 'baseUrl'> & {
  readonly config: Pick<Config, 'mail'>;
  readonly log: Logger;
};

/** Returns the mail of the settings; undefined where they name no mail server. @throws ServiceError `invalidConfig`. */
export async function startMail({ config, log, ...parts }: MailParts): Promise<MemberMail | undefined> {
  const { from } = config.mail;
  const server = await readServer(config.mail);
  if (server === undefined || from === undefined) return undefined;
  return createMemberMail({ ...parts, mailer: createMailer({ server, from, log }), log });
}

async function readServer({ smtp_url: url, smtp_url_file: file }: Config['mail']) {
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
