import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { MailOutcome } from '../../../src/account/email/mail-metrics.ts';
import type { Mail, SendOutcome } from '../../../src/account/email/mailer.ts';
import { createOutbox, type OutgoingMail } from '../../../src/account/email/member-mail.ts';
import { createMailSending, type SendingParts } from '../../../src/account/email/start-mail.ts';
import { gateways } from '../../../src/store/access-tables.ts';
import { outgoingMails } from '../../../src/store/mail-tables.ts';
import { describeStores } from '../../store/backends.ts';
import { NOW_MS } from '../new-customer.ts';
import { newInstallationKey } from '../test-installation-key.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LINK = 'https://keyslot.example/dashboard#ks_set_secret';
const MAIL = { to: 'ann@example.com', subject: 'Hello', text: `Open ${LINK}` };
const BILLING: OutgoingMail = { kind: 'billing', mail: MAIL };
const TAKEN: SendOutcome = { kind: 'taken' };
const DOWN: SendOutcome = { kind: 'failed', reason: 'ECONNREFUSED' };

describeStores('a mail that waits in the store', (backend) => {
  const store = backend.emptied();

  async function setUp(most?: Parameters<typeof createOutbox>[0]['most']) {
    const installationKey = await newInstallationKey();
    const logged: string[] = [];
    const counts: string[] = [];
    const figures: number[][] = [];
    const note = (...args: unknown[]): void => void logged.push(JSON.stringify(args));
    const log = { error: note, warn: note, info: note };
    const metrics = {
      count: (kind: string, outcome: MailOutcome) => void counts.push(`${kind} ${outcome}`),
      setWaiting: (...values: readonly number[]) => void figures.push([...values]),
    };
    const clock = { now: NOW_MS, nowMs: () => clock.now };
    const outbox = createOutbox({ installationKey, metrics, log, ...(most !== undefined && { most }) });
    const add = (...mails: readonly OutgoingMail[]) =>
      store().transaction((tx) => outbox.add(tx, mails, clock.now));
    const rows = () => store().db.select().from(outgoingMails);
    const parts = { store: store(), installationKey, metrics, clock, log };
    return { add, outbox, rows, clock, logged, counts, figures, parts };
  }

  /** A process that sends; the mail server answers by `answer`. */
  function sender(
    parts: Omit<SendingParts, 'gatewayId' | 'mailer'>,
    answer: (mail: Mail) => SendOutcome | Promise<SendOutcome>,
    gatewayId = randomUUID(),
  ) {
    const mails: { readonly mail: Mail; readonly id: string | undefined }[] = [];
    const send = async (mail: Mail, id?: string) => {
      mails.push({ mail, id });
      return answer(mail);
    };
    return { mails, ...createMailSending({ ...parts, gatewayId, mailer: { send } }) };
  }

  test('is sealed: neither address, nor subject, nor link can be read in its row', async () => {
    const { add, rows, parts } = await setUp();
    await add(BILLING);
    const [row] = await rows();
    const bytes = Buffer.from(row?.sealed ?? []).toString('latin1');
    for (const part of ['ann', 'example', 'Hello', 'ks_set']) expect(bytes).not.toContain(part);
    expect(JSON.stringify({ ...row, sealed: '' })).not.toMatch(/ann|Hello|ks_set/);
    const { mails, step } = sender(parts, () => TAKEN);
    await step();
    expect(mails).toEqual([{ mail: MAIL, id: row?.id }]);
    expect(await rows()).toEqual([]);
  });

  test('is there if what it tells is committed, and only then', async () => {
    const { outbox, rows } = await setUp();
    const failed = store().transaction(async (tx) => {
      await outbox.add(tx, [BILLING], NOW_MS);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await rows()).toEqual([]);
  });

  test('is tried again after longer and longer pauses while the mail server is down, and deleted once it is sent', async () => {
    const { add, rows, clock, counts, figures, logged, parts } = await setUp();
    await add(BILLING);
    let isDown = true;
    const { mails, step } = sender(parts, () => (isDown ? DOWN : TAKEN));
    const pauses: number[] = [];
    for (let tries = 1; tries <= 12; tries += 1) {
      await step();
      expect(mails).toHaveLength(tries);
      const [row] = await rows();
      expect(row?.attempts).toBe(tries);
      const nextMs = row?.nextAt.getTime() ?? 0;
      pauses.push(nextMs - clock.now);
      clock.now = nextMs - 1;
      await step();
      expect(mails).toHaveLength(tries);
      clock.now = nextMs;
    }
    expect(pauses[0]).toBeGreaterThanOrEqual(10_000);
    expect(pauses[0]).toBeLessThanOrEqual(12_000);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(4 * HOUR);
    expect(pauses.at(-1)).toBeLessThanOrEqual(4.8 * HOUR);
    isDown = false;
    await step();
    expect(await rows()).toEqual([]);
    expect(counts).toEqual([...Array.from({ length: 12 }, () => 'billing failed'), 'billing sent']);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(1);
    await step();
    expect([figures[0], figures.at(-1)]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    // Once when it begins to fail, and once when it works again.
    expect(logged.map((line) => /cannot send emails|being sent again/.exec(line)?.[0])).toEqual([
      'cannot send emails',
      'being sent again',
    ]);
  });

  test('ends after three days; one that resets a password when its link does, and is not sent behind that', async () => {
    const { add, rows, clock, counts, parts } = await setUp();
    const expiresAt = new Date(NOW_MS + HOUR);
    await add(BILLING, { kind: 'password_reset', mail: MAIL, expiresAt });
    const { mails, step } = sender(parts, () => DOWN);
    const lastAt = { password_reset: 0, billing: 0 };
    while ((await rows()).length > 0) {
      const next = (await rows()).map(({ nextAt }) => nextAt.getTime()).sort((a, b) => a - b)[0] ?? 0;
      clock.now = Math.max(clock.now, next);
      const kinds = new Map((await rows()).map(({ id, kind }) => [id, kind]));
      const before = mails.length;
      await step();
      for (const { id } of mails.slice(before)) {
        const kind = kinds.get(id ?? '');
        if (kind === 'billing' || kind === 'password_reset') lastAt[kind] = clock.now;
      }
    }
    expect(lastAt.password_reset).toBeLessThan(NOW_MS + HOUR);
    expect(lastAt.billing).toBeGreaterThan(NOW_MS + 2 * DAY);
    expect(lastAt.billing).toBeLessThan(NOW_MS + 3 * DAY);
    expect(counts.filter((each) => each.endsWith('expired')).sort()).toEqual([
      'billing expired',
      'password_reset expired',
    ]);
    await add({ kind: 'password_reset', mail: MAIL, expiresAt });
    const before = mails.length;
    await step();
    expect([mails.length, await rows()]).toEqual([before, []]);
  });

  test('that the mail server refuses for good is not sent again; the log has its domain, not its address', async () => {
    const { add, rows, logged, counts, parts } = await setUp();
    await add(BILLING);
    const { step } = sender(parts, () => ({ kind: 'refused', reason: 'EENVELOPE 550' }));
    await step();
    expect([await rows(), counts]).toEqual([[], ['billing refused']]);
    expect(logged).toEqual([expect.stringContaining('"to":"a…@example.com","reason":"EENVELOPE 550"')]);
    expect(logged.join()).not.toContain('ann@');
  });

  test('is one of a bounded number: further ones are dropped by name, those of resets first', async () => {
    const { add, rows, logged, counts } = await setUp({ all: 4, resets: 2, ofAccount: 4 });
    const reset: OutgoingMail = { kind: 'password_reset', mail: MAIL };
    await add(reset, reset, reset, BILLING);
    expect((await rows()).map(({ kind }) => kind).sort()).toEqual([
      ...['billing', 'password_reset', 'password_reset'],
    ]);
    await add(BILLING, BILLING);
    expect(await rows()).toHaveLength(4);
    expect(counts).toEqual(['password_reset dropped', 'billing dropped']);
    expect(logged.every((line) => line.includes('email queue is full'))).toBe(true);
  });

  test('about one account leaves room for those of others, and none of them takes the room of resets', async () => {
    const { add, rows, logged, counts } = await setUp({ all: 8, resets: 3, ofAccount: 3 });
    const [one, other] = [randomUUID(), randomUUID()];
    const about = (accountId: string): OutgoingMail => ({ kind: 'webhook', accountId, mail: MAIL });
    const reset: OutgoingMail = { kind: 'password_reset', mail: MAIL };
    await add(...Array.from({ length: 5 }, () => about(one)));
    await add(about(one), about(other), about(other), about(other));
    await add(reset, reset, reset, reset);
    const waiting = Object.groupBy(await rows(), ({ kind, accountId }) => accountId ?? kind);
    const found = Object.fromEntries(Object.entries(waiting).map(([of, mails = []]) => [of, mails.length]));
    expect(found).toEqual({ [one]: 3, [other]: 2, password_reset: 3 });
    expect(counts).toEqual([...Array.from({ length: 4 }, () => 'webhook dropped'), 'password_reset dropped']);
    expect(logged[0]).toContain(one);
  });

  test('is sent once where several servers look at the same time, and by another one after the first has left', async () => {
    const { add, rows, parts } = await setUp();
    const [first, second] = [randomUUID(), randomUUID()];
    const row = { machine: 'm', pid: 1, started: 's', seenAt: new Date() };
    await store()
      .db.insert(gateways)
      .values([first, second].map((id) => ({ id, ...row })));
    await add(...Array.from({ length: 30 }, () => BILLING));
    const one = sender(parts, () => TAKEN, first);
    const other = sender(parts, () => TAKEN, second);
    while ((await rows()).length > 0) await Promise.all([one.step(), other.step()]);
    const ids = [...one.mails, ...other.mails].map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
    expect([one.mails.length, other.mails.length].sort()).toEqual([0, 30]);
    await store().db.delete(gateways);
    await add(BILLING);
    const third = sender(parts, () => TAKEN);
    await third.step();
    expect(third.mails).toHaveLength(1);
  });

  test('that is being sent when the server stops is there for the next one, as if it had not been tried', async () => {
    const { add, rows, parts } = await setUp();
    await add(BILLING);
    const { step, stop } = sender(parts, () => {
      stop();
      return DOWN;
    });
    await step();
    expect(await rows()).toMatchObject([{ attempts: 0 }]);
  });

  test('of another installation key waits for that key, and the log says what to do', async () => {
    const { add, rows, logged, parts } = await setUp();
    await add(BILLING);
    const { mails, step } = sender({ ...parts, installationKey: await newInstallationKey() }, () => TAKEN);
    await step();
    expect([mails, await rows()]).toMatchObject([[], [{ attempts: 1 }]]);
    expect(logged.join()).toContain('restore its key');
  });
});
