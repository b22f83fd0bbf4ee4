import { expect, test } from 'vitest';
import { createMailer } from '../../../src/account/email/mailer.ts';
import { invitationMail } from '../../../src/account/email/mail-texts.ts';
import type { SmtpServer } from '../../../src/core/config/smtp-url.ts';
import { startBusyMachineClock } from '../../support/busy-machine-clock.ts';
import { type SmtpScript, startSmtpServer } from '../../support/smtp-server.ts';

const MAIL = { to: 'ann@example.com', subject: 'Hello', text: 'First line\n.second line\n' };
const LOGIN = { user: 'keyslot', password: 'p/w:1' };

async function setUp(
  script: SmtpScript = {},
  change: Partial<SmtpServer> = {},
  more: { readonly deadlineMs?: number } = {},
) {
  const smtp = await startSmtpServer(script);
  const server = { host: '127.0.0.1', port: smtp.port, security: 'none' as const, login: undefined };
  const mailer = createMailer({
    server: { ...server, ...change },
    from: 'keyslot@example.com',
    ...more,
  });
  return { smtp, mailer };
}

test('a mail is plain text to one address, and follows nobody', async () => {
  const { smtp, mailer } = await setUp({}, { login: LOGIN });
  await using _open = smtp;
  expect(await mailer.send(MAIL, 'a1')).toEqual({ kind: 'taken' });
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
  expect(head).toMatch(/^Message-ID: <a1@example\.com>$/m);
  expect(body).toBe('First line\r\n.second line');
  const auth = Buffer.from('\0keyslot\0p/w:1').toString('base64');
  expect(smtp.commands).toContain(`AUTH PLAIN ${auth}`);
});

test('a server that refuses for good, for now, and one that is gone, are told apart by their codes, without an address', async () => {
  const reasons: unknown[] = [];
  for (const [refusal, kind] of [
    ['550 5.1.1 <ann@example.com> unknown', 'refused'],
    ['451 4.7.1 <ann@example.com> later', 'failed'],
  ] as const) {
    const { smtp, mailer } = await setUp({ refusal });
    const outcome = await mailer.send(MAIL);
    expect(outcome).toMatchObject({
      kind,
      reason: expect.stringContaining(`EENVELOPE ${refusal.slice(0, 3)}`),
    });
    await smtp[Symbol.asyncDispose]();
    const gone = await mailer.send(MAIL);
    expect(gone).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/ECONNREFUSED|ESOCKET|ECONNECTION/),
    });
    reasons.push(outcome, gone);
  }
  expect(JSON.stringify(reasons)).not.toContain('example.com');
});

test('a login that is refused is a matter of settings: the mail is not refused for good', async () => {
  const { smtp, mailer } = await setUp({ loginRefusal: '535 5.7.8 no' }, { login: LOGIN });
  await using _open = smtp;
  expect(await mailer.send(MAIL)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('535') });
});

test('a server that does not answer is given up at the deadline, and when the server stops', async () => {
  const { smtp, mailer } = await setUp({ isSilent: true }, {}, { deadlineMs: 200 });
  await using _open = smtp;
  using since = startBusyMachineClock();
  expect(await mailer.send(MAIL)).toMatchObject({ kind: 'failed' });
  expect(since.elapsedMs()).toBeLessThan(2_000);
  const installation = await setUp({ isSilent: true }, {}, { deadlineMs: 600_000 });
  await using _other = installation.smtp;
  const sent = installation.mailer.send(MAIL);
  installation.mailer.close();
  expect(await sent).toMatchObject({ kind: 'failed' });
  expect(await installation.mailer.send(MAIL)).toMatchObject({ kind: 'failed' });
});

test('to a server elsewhere nothing is sent before the connection is encrypted', async () => {
  for (const extensions of [[], ['STARTTLS']]) {
    const { smtp, mailer } = await setUp({ extensions }, { security: 'starttls', login: LOGIN });
    await using _open = smtp;
    expect(await mailer.send(MAIL)).toMatchObject({ kind: 'failed' });
    expect(smtp.commands.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
  }
});

test('at most twenty mails are sent at a time', async () => {
  const { smtp, mailer } = await setUp({ isSilent: true }, {}, { deadlineMs: 500 });
  await using _open = smtp;
  const sent = await Promise.all(Array.from({ length: 30 }, () => mailer.send(MAIL)));
  expect(sent.map(({ kind }) => kind)).toEqual(sent.map(() => 'failed'));
  expect(smtp.connections()).toBeLessThanOrEqual(20);
  expect(sent.filter((each) => 'reason' in each && each.reason.includes('too many'))).toHaveLength(10);
});

test('what a mail is about adds no header, no recipient and no line of the protocol', async () => {
  const { smtp, mailer } = await setUp();
  await using _open = smtp;
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nHi\r\n.\r\nRCPT TO:<eve@example.com>';
  const named = { account: evil, invitedBy: evil, role: 'viewer', expiresAt: new Date(0) } as const;
  await mailer.send(invitationMail({ to: MAIL.to, link: evil, ...named }));
  for (const to of ['ann@example.com\r\nRCPT TO:<eve@example.com>', 'ann@example.com,eve@example.com'])
    expect(await mailer.send({ ...MAIL, to })).toMatchObject({ kind: 'failed' });
  expect(smtp.mails).toHaveLength(1);
  for (const { to, text } of smtp.mails) {
    expect(to.filter((one) => !/^ann@example\.com/.test(one))).toEqual([]);
    expect(text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
  }
  expect(smtp.commands.filter((line) => line === 'RCPT TO:<eve@example.com>')).toEqual([]);
});
