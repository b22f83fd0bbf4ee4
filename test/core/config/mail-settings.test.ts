import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { readSmtpUrl } from '../../../src/core/config/smtp-url.ts';
import { toServiceError } from '../../../src/core/service-error.ts';

const URL_SET = { KEYSLOT_MAIL_SMTP_URL: 'smtps://u:secret@mail.example.com' };
const FROM = { KEYSLOT_MAIL_FROM: 'keyslot@example.com' };
const AWAY = { KEYSLOT_BEHIND_PROXY: '1' };

test.each([
  ['smtps://mail.example.com', { port: 465, security: 'tls', login: undefined }],
  ['smtp://mail.example.com', { port: 587, security: 'starttls' }],
  ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, security: 'none' }],
  ['smtp://localhost', { security: 'none' }],
  ['smtp://[::1]:2525/', { host: '::1', port: 2525, security: 'none' }],
  ['smtps://127.0.0.1', { security: 'tls' }],
  ['smtps://a%40b:p%2Fw%3A1@mail.example.com\n', { login: { user: 'a@b', password: 'p/w:1' } }],
])('%s is a mail server', (text, server) => {
  expect(readSmtpUrl(text)).toMatchObject(server);
});

test.each([
  ...['https://mail.example.com', 'smtp://', 'smtp://a b', 'smtp://mail.example.com/path', 'smtp:mail'],
  ...['smtp://mail.example.com?tls=no', 'smtp://%0d%0a', 'smtp://u:%zz@mail.example.com', ''],
])('%j is none', (text) => {
  expect(readSmtpUrl(text)).toBeUndefined();
});

test.each([
  [URL_SET, 'mail.from (KEYSLOT_MAIL_FROM) is missing'],
  [FROM, 'mail.from (KEYSLOT_MAIL_FROM) is set without mail.smtp_url'],
  [{ ...URL_SET, ...FROM, KEYSLOT_MAIL_SMTP_URL_FILE: '/x' }, 'are both set'],
  [{ ...URL_SET, ...FROM, ...AWAY }, 'http.public_url (KEYSLOT_PUBLIC_URL) is missing'],
  [{ ...FROM, KEYSLOT_MAIL_SMTP_URL: 'smtp://u:secret@a/b' }, 'is not a URL such as smtps://'],
  [{ ...URL_SET, KEYSLOT_MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' }, 'mail.from'],
])('mail settings %j are refused, without the secret', (env, problem) => {
  let text = '';
  try {
    loadConfig({ file: undefined, env, cli: {} });
  } catch (error) {
    text = toServiceError(error).message;
  }
  expect(text).toContain(problem);
  expect(text).not.toContain('secret');
});

test('with a sender, and a public URL where others reach the server, they are taken', () => {
  const load = (env: Readonly<Record<string, string>>) => loadConfig({ file: undefined, env, cli: {} }).mail;
  expect(load({ ...URL_SET, ...FROM })).toMatchObject({ from: 'keyslot@example.com' });
  load({ ...URL_SET, ...FROM, ...AWAY, KEYSLOT_PUBLIC_URL: 'https://keyslot.example' });
});
