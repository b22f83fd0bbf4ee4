import { expect, test } from 'vitest';
import { createMailer } from '../../../src/account/mail/mailer.ts';
import { invitationMail } from '../../../src/account/mail/mail-texts.ts';
import type { SmtpServer } from '../../../src/config/smtp-url.ts';
import { type SmtpScript, startSmtpServer } from '../../support/smtp-server.ts';

const MAIL = { to: 'ann@example.com', subject: 'Hello', text: 'First line\n.second line\n' };
const LOGIN = { user: 'keyslot', password: 'p/w:1' };

async function setUp(
  script: SmtpScript = {},
  change: Partial<SmtpServer> = {},
  more: { readonly deadlineMs?: number } = {},
) {
  const smtp = await startSmtpServer(script);
  const logged: string[] = [];
  const server = { host: '127.0.0.1', port: smtp.port, security: 'none' as const, login: undefined };
  const error = (...args: unknown[]): void => void logged.push(JSON.stringify(args));
  const mailer = createMailer({
    ...{ server: { ...server, ...change }, from: 'keyslot@example.com', log: { error }, ...more },
  });
  return { smtp, mailer, logged };
}

test('a mail is plain text to one address, and follows nobody', async () => {
  const { smtp, mailer } = await setUp({}, { login: LOGIN });
  await using _open = smtp;
  expect(await mailer.send(MAIL)).toBe(true);
  const [mail] = smtp.mails;
  expect([mail?.from, mail?.to]).toEqual(['keyslot@example.com', ['ann@example.com']]);
  const [head = '', body] = mail?.text.split('\r\n\r\n') ?? [];
  const names = head.split('\r\n').map((line) => line.split(':')[0]);
  expect(names.sort()).toEqual(
    ['Auto-Submitted', 'Content-Transfer-Encoding', 'Content-Type', 'Date', 'From', 'MIME-Version'].concat(
      ...['Message-ID', 'Subject', 'To'],
    ),
  );
  expect(head).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
  expect(head).toMatch(/^From: Keyslot <keyslot@example\.com>$/m);
  expect(body).toBe('First line\r\n.second line');
  const auth = Buffer.from('\0keyslot\0p/w:1').toString('base64');
  expect(smtp.commands).toContain(`AUTH PLAIN ${auth}`);
});

test('a server that refuses, and one that is gone, are told by their codes, without an address', async () => {
  const { smtp, mailer, logged } = await setUp({ refusal: '550 5.1.1 <ann@example.com> unknown' });
  expect(await mailer.send(MAIL)).toBe(false);
  await smtp[Symbol.asyncDispose]();
  expect(await mailer.send(MAIL)).toBe(false);
  expect(logged).toEqual([
    expect.stringMatching(/EENVELOPE 550/),
    expect.stringMatching(/ECONNREFUSED|ESOCKET|ECONNECTION/),
  ]);
  expect(logged.join()).not.toContain('example.com');
});

test('a server that does not answer is given up at the deadline, and when the server stops', async () => {
  const { smtp, mailer } = await setUp({ isSilent: true }, {}, { deadlineMs: 200 });
  await using _open = smtp;
  const before = performance.now();
  expect(await mailer.send(MAIL)).toBe(false);
  expect(performance.now() - before).toBeLessThan(2_000);
  const patient = await setUp({ isSilent: true }, {}, { deadlineMs: 600_000 });
  await using _other = patient.smtp;
  const sent = patient.mailer.send(MAIL);
  patient.mailer.close();
  expect(await sent).toBe(false);
  expect(await patient.mailer.send(MAIL)).toBe(false);
});

test('to a server elsewhere nothing is sent before the connection is encrypted', async () => {
  for (const extensions of [[], ['STARTTLS']]) {
    const { smtp, mailer } = await setUp({ extensions }, { security: 'starttls', login: LOGIN });
    await using _open = smtp;
    expect(await mailer.send(MAIL)).toBe(false);
    expect(smtp.commands.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
  }
});

test('at most twenty mails are sent at a time', async () => {
  const { smtp, mailer, logged } = await setUp({ isSilent: true }, {}, { deadlineMs: 500 });
  await using _open = smtp;
  const sent = await Promise.all(Array.from({ length: 30 }, () => mailer.send(MAIL)));
  expect(sent).toEqual(sent.map(() => false));
  expect(smtp.connections()).toBeLessThanOrEqual(20);
  expect(logged.filter((line) => line.includes('too many'))).toHaveLength(10);
});

test('what a mail is about adds no header, no recipient and no line of the protocol', async () => {
  const { smtp, mailer } = await setUp();
  await using _open = smtp;
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nHi\r\n.\r\nRCPT TO:<eve@example.com>';
  const named = { account: evil, invitedBy: evil, role: 'viewer', expiresAt: new Date(0) } as const;
  await mailer.send(invitationMail({ to: MAIL.to, link: evil, ...named }));
  for (const to of ['ann@example.com\r\nRCPT TO:<eve@example.com>', 'ann@example.com,eve@example.com'])
    expect(await mailer.send({ ...MAIL, to })).toBe(false);
  expect(smtp.mails).toHaveLength(1);
  for (const { to, text } of smtp.mails) {
    expect(to.filter((one) => !/^ann@example\.com/.test(one))).toEqual([]);
    expect(text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
  }
  expect(smtp.commands.filter((line) => line === 'RCPT TO:<eve@example.com>')).toEqual([]);
});
