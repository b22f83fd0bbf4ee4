import type { Config } from '../../generated/config.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import { readSmtpUrl } from './smtp-url.ts';

const URL_NAME = 'mail.smtp_url (KEYSLOT_MAIL_SMTP_URL)';
const FILE_NAME = 'mail.smtp_url_file (KEYSLOT_MAIL_SMTP_URL_FILE)';
const FROM_NAME = 'mail.from (KEYSLOT_MAIL_FROM)';

/** Returns the problems of mail settings that each fit their schema, one line per problem. The URL is not shown. */
export function checkMailSettings({ mail, http }: Pick<Config, 'mail' | 'http'>): readonly string[] {
  const { smtp_url: url, smtp_url_file: file, from } = mail;
  const hasServer = url !== undefined || file !== undefined;
  const isLocal = isLoopbackHost(http.host) && !http.behind_proxy;
  return [
    ...(url !== undefined && file !== undefined
      ? [`${URL_NAME} and ${FILE_NAME} are both set; set only one of them`]
      : []),
    ...(hasServer && from === undefined ? [`${FROM_NAME} is missing; mails need a sender`] : []),
    ...(!hasServer && from !== undefined
      ? [`${FROM_NAME} is set without ${URL_NAME}, and has no effect without it`]
      : []),
    ...(url !== undefined && readSmtpUrl(url) === undefined
      ? [`${URL_NAME} is not a URL such as smtps://user:password@mail.example.com:465`]
      : []),
    // A name that a request brings along could be anybody's.
    ...(hasServer && http.public_url === undefined && !isLocal
      ? ['http.public_url (KEYSLOT_PUBLIC_URL) is missing; links in mails begin with it']
      : []),
  ];
}
