import { expect, test } from 'vitest';
import { listSessions } from '../../../../src/account/identity/members/sessions.ts';
import { type SignInDeps, signIn } from '../../../../src/account/identity/members/sign-in.ts';
import { toServiceError } from '../../../../src/core/service-error.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { and, eq } from '../../../../src/store/drizzle.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, newEmail, PASSWORD, refusal } from './member-world.ts';

/** Parts in which no password is compared until a gate opens. */
function held(deps: SignInDeps) {
  const gate = Promise.withResolvers<void>();
  const compare: SignInDeps['passwords']['compare'] = async (sent) => {
    await gate.promise;
    return deps.passwords.compare(sent);
  };
  return { gate, slow: { ...deps, passwords: { ...deps.passwords, compare } } };
}

describeStores('a flood of sign-ins', (backend) => {
  const store = backend.shared();

  test('is refused from the 49th on that waits, and leaves the queue as it was', async () => {
    const { deps, newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const { gate, slow } = held(deps);
    const send = () => signIn(slow, { email: newEmail(), password: PASSWORD }, at());
    const waiting = Array.from({ length: 48 }, () => refusal(send()));
    expect(await send().catch(toServiceError)).toMatchObject({
      code: 'signInLocked',
      context: { retryAfterSeconds: 5 },
    });
    expect(await refusal(enter(email))).toBe('signInLocked');
    gate.resolve();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['signInFailed']));
    expect(await refusal(enter(email))).toBe('none');
  });

  test('from networks that were not seen before keeps out nobody who is known: by a session, a link or the last sign-in', async () => {
    const { newOwner, enter } = memberWorld(store());
    const [{ email }, other] = [await newOwner(), await newOwner()];
    const here = at(NOW_MS, '198.51.100.7');
    await enter(email, {}, here);
    // Another gateway, or this one after its restart: it knows the session only.
    const { deps: restarted } = memberWorld(store());
    const { gate, slow } = held(restarted);
    const send = () => refusal(signIn(slow, { email: newEmail(), password: PASSWORD }, at()));
    const waiting = Array.from({ length: 48 }, send);
    expect(await send()).toBe('signInLocked');
    const known = (one: string, request = here) =>
      refusal(signIn(restarted, { email: one, password: PASSWORD }, request));
    expect(await known(email)).toBe('none');
    expect(await known(email, at(NOW_MS, '198.51.101.8'))).toBe('signInLocked');
    // The network has shown a right password: so have others who sign in there.
    expect(await known(other.email)).toBe('none');
    gate.resolve();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['signInFailed']));
  });

  test('from one network, of IPv4 or IPv6, leaves the places of others free', async () => {
    const { deps, newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const { gate, slow } = held(deps);
    for (const address of [() => '192.0.2.90', (sent: number) => `2001:db8:7:${sent}::1`]) {
      const sent = Array.from({ length: 9 }, (_, index) =>
        refusal(signIn(slow, { email: newEmail(), password: PASSWORD }, at(NOW_MS, address(index)))),
      );
      expect(await Promise.race(sent)).toBe('signInLocked');
    }
    expect(await refusal(enter(email))).toBe('none');
    gate.resolve();
  });

  test('from networks whose guesses failed leaves half of the places to others, and hashes theirs in turn', async () => {
    const { deps, newOwner, enter } = memberWorld(store());
    const { email } = await newOwner();
    const networks = Array.from({ length: 8 }, (_, index) => `192.0.2.${index + 1}`);
    const guess = (one: SignInDeps, address: string) =>
      refusal(signIn(one, { email: newEmail(), password: PASSWORD }, at(NOW_MS, address)));
    expect(new Set(await Promise.all(networks.map((address) => guess(deps, address))))).toEqual(
      new Set(['signInFailed']),
    );
    const { gate, slow } = held(deps);
    const sent = networks.flatMap((address) => Array.from({ length: 8 }, () => guess(slow, address)));
    for (let others = 0; others < 8; others++) expect(await refusal(enter(email))).toBe('none');
    gate.resolve();
    const outcomes = Object.groupBy(await Promise.all(sent), (outcome) => outcome);
    expect([outcomes.signInLocked?.length, outcomes.signInFailed?.length]).toEqual([32, 32]);
  });

  test('leaves a login with twenty sessions: the oldest end, on record', async () => {
    const { newOwner, enter, holderOf } = memberWorld(store());
    const { accountId, email, memberId } = await newOwner();
    const tokens = [];
    for (let sent = 0; sent < 22; sent += 1) tokens.push((await enter(email, {}, at(NOW_MS + sent))).token);
    const answers = await Promise.all(tokens.map((token) => refusal(holderOf(token))));
    expect(answers).toEqual(tokens.map((_, index) => (index < 2 ? 'sessionInvalid' : 'none')));
    const holder = await holderOf(tokens.at(-1) ?? '');
    expect(await listSessions({ store: store() }, holder, NOW_MS)).toHaveLength(20);
    const isEnd = and(eq(auditRecords.accountId, accountId), eq(auditRecords.action, 'session.end'));
    const ends = await store().db.select().from(auditRecords).where(isEnd);
    expect(ends.map((record) => record.memberId)).toEqual([memberId, memberId]);
    expect(new Set(ends.map(({ subject }) => subject)).size).toBe(2);
  });
});
