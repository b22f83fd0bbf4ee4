import { createMailer } from '../../../account/email/mailer.ts';
import { readMailServer } from '../../../account/email/start-mail.ts';
import type { Check } from '../finding.ts';

const part = 'mail';

/** Checks that the mail server accepts the login. Sends nothing. */
export const checkMail: Check = async ({ config: { mail } }) => {
  const server = await readMailServer(mail);
  if (server === undefined || mail.from === undefined)
    return { part, state: 'skipped', detail: 'no mail server is configured: pass on links by hand' };
  const mailer = createMailer({ server, from: mail.from });
  const fault = await mailer.check();
  const named = `${server.host}:${server.port}`;
  return fault === undefined
    ? { part, state: 'ok', detail: `${named} accepts the login` }
    : {
        part,
        state: 'wrong',
        detail: `${named}: ${fault}`,
        remedy: 'check address, port, user and password of mail.smtp_url, and the firewall',
      };
};
