import { expect, test } from 'vitest';
import { createResetLinks, resetPassword } from '../../../../src/account/identity/members/password-resets.ts';
import { resetMember } from '../../../../src/account/identity/members/reset-member.ts';
import { acceptSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, newEmail, refusal, STEP_MS } from './member-world.ts';

const WRONG = 'wrong horse battery staple';
const NEXT = 'a quite different passphrase';

describeStores('who is to be locked out by wrong passwords from everywhere', (backend) => {
  const store = backend.shared();

  function world() {
    const made = memberWorld(store());
    const lock = async (email: string) => {
      for (let sent = 0; sent < 50; sent += 1) await refusal(made.enter(email, { password: WRONG }));
      expect(await refusal(made.enter(email))).toBe('signInLocked');
    };
    return { ...made, lock };
  }

  test('still signs in where a session is open, which lifts the lock nowhere else', async () => {
    const { newOwner, enter, lock } = world();
    const { email } = await newOwner();
    const home = (host: string) => at(NOW_MS, `2001:db8:5:6::${host}`);
    await enter(email, {}, home('1'));
    await lock(email);
    expect(await refusal(enter(email, {}, home('2')))).toBe('none');
    expect(await refusal(enter(email))).toBe('signInLocked');
    for (let sent = 0; sent < 5; sent += 1) await refusal(enter(email, { password: WRONG }, home('1')));
    expect(await refusal(enter(email, {}, home('1')))).toBe('signInLocked');
  });

  test('signs in after a reset by mail, and after one by the operator', async () => {
    const { deps, newOwner, enter, lock } = world();
    const { accountId, email } = await newOwner();
    await lock(email);
    const [mailed] = await createResetLinks(deps, email, at());
    await resetPassword(deps, { token: mailed?.token ?? '', password: NEXT }, at());
    expect(await refusal(enter(email, { password: NEXT }))).toBe('none');
    await lock(email);
    const { token } = await resetMember(deps, { accountId, email }, at());
    await acceptSetupLink(deps, { token, email, name: 'Ann', password: WRONG }, at());
    expect(await refusal(enter(email, { password: WRONG }))).toBe('none');
  });

  test('is asked for a code at his own address, whatever ten codes were sent elsewhere', async () => {
    const { freshOwner, enter } = world();
    const { email, codeAt } = await freshOwner();
    const nowMs = NOW_MS + 2 * STEP_MS;
    const right = [-1, 0, 1].map((steps) => codeAt(nowMs + steps * STEP_MS));
    const code = ['000000', '111111', '222222', '333333'].find((each) => !right.includes(each)) ?? '';
    for (const address of ['192.0.2.61', '192.0.2.62'])
      for (let sent = 0; sent < 5; sent += 1)
        expect(await refusal(enter(email, { code }, at(nowMs, address)))).toBe('secondFactorInvalid');
    expect(await refusal(enter(email, { code: codeAt(nowMs) }, at(nowMs)))).toBe('none');
  });

  test('is slowed, and never locked out, by others whose address is unknown either', async () => {
    const { newOwner, enter } = world();
    const { email } = await newOwner();
    const nowhere = (nowMs: number) => ({ ...at(nowMs), address: undefined });
    const guesses: string[] = [];
    for (let sent = 0; sent < 60; sent += 1)
      guesses.push(await refusal(enter(newEmail(), {}, nowhere(NOW_MS))));
    expect(guesses).toEqual([...Array(5).fill('signInFailed'), ...Array(55).fill('signInLocked')]);
    await expect(enter(email, {}, nowhere(NOW_MS))).rejects.toMatchObject({
      context: { retryAfterSeconds: 2 },
    });
    expect(await refusal(enter(email, {}, nowhere(NOW_MS + 2_000)))).toBe('none');
    for (let sent = 0; sent < 60; sent += 1)
      await refusal(enter(email, { password: WRONG }, nowhere(NOW_MS + 10_000 + sent * 1_000)));
    const more: string[] = [];
    for (let second = 0; second < 120; second += 1)
      more.push(await refusal(enter(email, { password: WRONG }, nowhere(NOW_MS + (200 + second) * 1_000))));
    expect(more.filter((code) => code === 'signInFailed').length).toBeLessThanOrEqual(20);
    expect(await refusal(enter(email, {}, nowhere(NOW_MS + 351_000)))).toBe('none');
  });

  test('gets in by a mailed link at an address that guesses for other emails have locked', async () => {
    const { deps, newOwner, enter } = world();
    const { email } = await newOwner();
    const office = at(NOW_MS, '198.51.100.7');
    for (let sent = 0; sent < 30; sent += 1) await refusal(enter(newEmail(), {}, office));
    expect(await refusal(enter(email, {}, office))).toBe('signInLocked');
    const [link] = await createResetLinks(deps, email, office);
    await resetPassword(deps, { token: link?.token ?? '', password: NEXT }, office);
    expect(await refusal(enter(email, { password: NEXT }, office))).toBe('none');
    for (let sent = 0; sent < 5; sent += 1) await refusal(enter(email, { password: WRONG }, office));
    expect(await refusal(enter(email, { password: NEXT }, office))).toBe('signInLocked');
  });

  test('gets in by a mailed link from an address that is new, whatever is sent elsewhere', async () => {
    const { deps, newOwner, enter } = world();
    const { email } = await newOwner();
    const flood = async (from: string) => {
      for (let sent = 0; sent < 51; sent += 1)
        await refusal(enter(email, { password: 'wrong' }, at(NOW_MS, `${from}.${sent}`)));
    };
    await flood('192.0.2');
    const home = (nowMs = NOW_MS) => at(nowMs, '198.51.100.1');
    expect(await refusal(enter(email, {}, home()))).toBe('signInLocked');
    const [link] = await createResetLinks(deps, email, home());
    const password = 'another horse battery staple';
    await resetPassword(deps, { token: link?.token ?? '', password }, home());
    await flood('203.0.113');
    expect(await refusal(enter(email, { password }, at(NOW_MS, '198.51.100.2')))).toBe('signInLocked');
    expect(await refusal(enter(email, { password }, home()))).toBe('none');
  });
});
