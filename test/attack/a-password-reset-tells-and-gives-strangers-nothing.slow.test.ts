import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { postJson } from '../support/post-json.ts';
import { command } from '../support/wallet-account.ts';
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts';

const KNOWN = 'developer@keyslot.localhost';
const NEW = 'another horse battery staple';

let smtp: SmtpServer;
let server: RunningKeyslot;
let made = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  server = await startKeyslot({
    isOptimized: true,
    args: ['--log-level', 'trace'],
    // Each request comes from the address that it says.
    env: {
      KEYSLOT_BEHIND_PROXY: '1',
      KEYSLOT_PUBLIC_URL: 'https://keyslot.example',
      KEYSLOT_MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      KEYSLOT_MAIL_FROM: 'keyslot@example.com',
    },
  });
});
afterAll(async () => {
  await server?.stop();
  await smtp?.[Symbol.asyncDispose]();
});

const newEmail = (): string => `nobody${++made}@example.com`;

function ask(email: string, headers: Readonly<Record<string, string>> = {}) {
  made += 1;
  const address = `10.7.${made >> 8}.${made % 256}`;
  const url = `${server.baseUrl}/account/v1/password-resets`;
  return postJson(url, { email }, { 'x-forwarded-for': address, ...headers });
}

/** Of a mail in quoted-printable (RFC 2045 section 6.7), as far as it is needed. */
const decodeLines = (text: string): string => text.replaceAll('=\r\n', '').replaceAll('=3D', '=');

test('the answer is the same with a login and without; the link names the settings, not the request', async () => {
  const poison = { 'x-forwarded-host': 'evil.example' };
  const answers = [await ask(KNOWN, poison), await ask(newEmail(), poison)];
  expect(answers.map(({ status, body }) => [status, Object.keys(body)])).toEqual([
    [202, ['completed_at']],
    [202, ['completed_at']],
  ]);
  const mail = await eventually('the mail is there', () => smtp.mails[0]);
  expect(mail.to).toEqual([KNOWN]);
  const text = decodeLines(mail.text);
  expect(text).toMatch(/^https:\/\/keyslot\.example\/dashboard\/reset#token=ks_set_\w+$/m);
  expect(text).not.toContain('evil.example');
  const token = /#token=(\S+)/.exec(text)?.[1] ?? '';
  expect(server.stderr()).not.toContain(token);

  const accept = () =>
    postJson(`${server.baseUrl}/account/v1/password-resets/accept`, { reset_token: token, password: NEW });
  const used = await Promise.all([accept(), accept(), accept()]);
  expect(used.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  expect((await accept()).status).toBe(410);
  expect(smtp.mails).toHaveLength(1);
});

test('the time of the answer does not tell: in 32 rounds neither kind comes first nearly always', async () => {
  // One after the other: senders without an address share five tries.
  const known: string[] = [];
  while (known.length < 8) known.push(await newOwner());
  const timeOf = async (email: string): Promise<number> => {
    const before = performance.now();
    expect((await ask(email)).status).toBe(202);
    return performance.now() - before;
  };
  const unknownFirst: boolean[] = [];
  // Four times each: an email is limited to five.
  for (const [round, email] of [...known, ...known, ...known, ...known].entries()) {
    const isSwapped = round % 2 === 1;
    const first = await timeOf(isSwapped ? email : newEmail());
    const second = await timeOf(isSwapped ? newEmail() : email);
    unknownFirst.push(isSwapped ? second < first : first < second);
  }
  const share = unknownFirst.filter(Boolean).length / unknownFirst.length;
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.9);
});

async function newOwner(): Promise<string> {
  made += 1;
  const email = `owner${made}@example.com`;
  const { link } = await command(server.dataDir, { kind: 'members.setup-link', account: `acme${made}` });
  const token = /#token=(\S+)/.exec(String(link))?.[1];
  const person = { setup_token: token, email, name: 'Ann', password: NEW };
  expect(await postJson(`${server.baseUrl}/account/v1/setup-links/accept`, person)).toMatchObject({
    status: 200,
  });
  return email;
}

test('a flood sends five emails to an address at most, and is told when to retry', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(KNOWN)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(35);
  expect(refused[0]?.body).toMatchObject({ code: 'password_reset_limited' });
  const other = newEmail();
  const unknown = await Promise.all(Array.from({ length: 40 }, () => ask(other)));
  expect(unknown.filter(({ status }) => status === 202)).toHaveLength(5);
  expect(smtp.mails.filter(({ to }) => to.includes(KNOWN)).length).toBeLessThanOrEqual(5);
});

test('a mail server that does not answer holds up no invitation for long, and the answer says so', async () => {
  await using silent = await startSmtpServer({ isSilent: true });
  const other = await startKeyslot({
    env: {
      KEYSLOT_MAIL_SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
      KEYSLOT_MAIL_FROM: 'keyslot@example.com',
    },
  });
  await using _stop = { [Symbol.asyncDispose]: other.stop };
  const at = (path: string): string => `${other.baseUrl}/account/v1/${path}`;
  const file = JSON.parse(await readFile(join(other.dataDir, 'dev.json'), 'utf8')) as Record<string, string>;
  const password = file.dashboard_password ?? '';
  const signedIn = await postJson(at('session'), { email: KNOWN, password });
  const cookie = { cookie: signedIn.cookie ?? '' };
  const begun = await postJson(at('second-factor'), { password }, cookie);
  const code = TOTP.generate({ secret: Secret.fromBase32(String(begun.body.secret)) });
  const enrolled = await postJson(at('second-factor/confirm'), { code }, cookie);
  const before = performance.now();
  const invited = await postJson(
    at('invitations'),
    { email: 'bob@example.com', role: 'viewer' },
    { cookie: enrolled.cookie ?? '' },
  );
  expect(performance.now() - before).toBeLessThan(10_000);
  expect([invited.status, invited.body]).toEqual([
    201,
    expect.objectContaining({ is_mailed: false, link: expect.stringContaining('#token=ks_inv_') }),
  ]);
});
