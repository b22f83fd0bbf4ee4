import { expect, test } from 'vitest';
import { removeMember } from '../../../../src/account/identity/members/members.ts';
import { signIn } from '../../../../src/account/identity/members/sign-in.ts';
import { toServiceError } from '../../../../src/core/service-error.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { describeStores, SILENT } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS, newEmail, PASSWORD, refusal, STEP_MS } from './member-world.ts';

const WRONG = 'wrong horse battery staple';
const LOCK_MS = 15 * MINUTE_MS;

describeStores('an attacker who guesses', (backend) => {
  const store = backend.shared();

  test('learns no email: an unknown one, a wrong password and a removed member are refused alike', async () => {
    const { deps, freshOwner, newMember, enter } = memberWorld(store());
    const { holder, email } = await freshOwner();
    const removed = await newMember(holder, 'viewer');
    await removeMember(deps, holder, removed.memberId, at());
    const answers = await Promise.all(
      [
        enter(newEmail()),
        enter(email, { password: WRONG }),
        enter(removed.email),
        enter(email, { password: 'x'.repeat(10_000) }),
        enter('no email'),
        enter(email, { password: '' }),
      ].map((attempt) => attempt.then(() => undefined, toServiceError)),
    );
    const seen = answers.map((error) => [error?.code, error?.message, error?.context]);
    expect(seen).toEqual(seen.map(() => ['signInFailed', 'The email or the password is wrong.', {}]));
  });

  test('has five passwords for an email at one address, and more addresses lock no one else out', async () => {
    const { newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const guess = (nowMs: number, password = WRONG) =>
      enter(email, { password }, at(nowMs, '192.0.2.1')).then(() => 'none', toServiceError);
    for (let sent = 0; sent < 5; sent += 1)
      expect(await guess(NOW_MS)).toMatchObject({ code: 'signInFailed' });
    const locked = { code: 'signInLocked', context: { retryAfterSeconds: 900 } };
    for (let sent = 0; sent < 60; sent += 1) expect(await guess(NOW_MS, PASSWORD)).toMatchObject(locked);
    await expect(enter(email, {}, at(NOW_MS, '192.0.2.2'))).resolves.toMatchObject({ role: 'owner' });
    const last = await guess(NOW_MS + LOCK_MS - 1);
    expect(last).toMatchObject({ code: 'signInLocked', context: { retryAfterSeconds: 1 } });
    expect(await guess(NOW_MS + LOCK_MS, PASSWORD)).toBe('none');
  });

  test('cannot send many passwords at once to pass the count', async () => {
    const { newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const sent = Array.from({ length: 20 }, () =>
      refusal(enter(email, { password: WRONG }, at(NOW_MS, '192.0.2.3'))),
    );
    const answers = await Promise.all(sent);
    expect(answers.filter((code) => code === 'signInFailed')).toHaveLength(5);
    expect(answers.filter((code) => code === 'signInLocked')).toHaveLength(15);
  });

  test('has thirty passwords at one address, and at one network of IPv6, whichever emails they are for', async () => {
    const { enter } = memberWorld(store());
    for (const address of [() => '192.0.2.4', (sent: number) => `2001:db8:0:7::${sent.toString(16)}`]) {
      const answers = [];
      for (let sent = 1; sent <= 31; sent += 1)
        answers.push(await refusal(enter(newEmail(), {}, at(NOW_MS, address(sent)))));
      expect(answers.slice(0, 30)).toEqual(answers.slice(0, 30).map(() => 'signInFailed'));
      expect(answers[30]).toBe('signInLocked');
    }
    expect(await refusal(enter(newEmail(), {}, at(NOW_MS, '2001:db8:0:8::1')))).toBe('signInFailed');
  });

  test('has fifty passwords for an email, from however many addresses', async () => {
    const { newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const answers = [];
    for (let sent = 0; sent < 51; sent += 1) answers.push(await refusal(enter(email, { password: WRONG })));
    expect(answers.slice(0, 50)).toEqual(answers.slice(0, 50).map(() => 'signInFailed'));
    expect(answers[50]).toBe('signInLocked');
  });

  test('cannot guess codes after a right password: the second factor is locked', async () => {
    const { freshOwner, enter } = memberWorld(store());
    const { email, codeAt } = await freshOwner();
    const nowMs = NOW_MS + 2 * STEP_MS;
    const right = [-1, 0, 1].map((steps) => codeAt(nowMs + steps * STEP_MS));
    const wrong = ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
    const guess = (code: string) => refusal(enter(email, { code }, at(nowMs, '192.0.2.5')));
    const answers = [];
    for (let sent = 0; sent < 5; sent += 1) answers.push(await guess(wrong));
    expect(answers).toEqual(answers.map(() => 'secondFactorInvalid'));
    expect(await guess(codeAt(nowMs))).toBe('signInLocked');
  });
});

describeStores('an attacker who waits for a restart', (backend) => {
  test('finds the email locked as before', async () => {
    const place = backend.place();
    const guess = async () => {
      const store = await openStore(place, SILENT);
      try {
        const { deps } = memberWorld(store);
        const sent = { email: 'ann@example.com', password: WRONG };
        return await refusal(signIn(deps, sent, at(NOW_MS, '192.0.2.1')));
      } finally {
        await store.close();
      }
    };
    const answers = [];
    for (let sent = 0; sent < 6; sent += 1) answers.push(await guess());
    expect(answers).toEqual([...answers.slice(0, 5).map(() => 'signInFailed'), 'signInLocked']);
  });
});
