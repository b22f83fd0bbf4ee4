import { expect, test } from 'vitest';
import { verifyAudit } from '../../../../src/account/audit/verify-audit.ts';
import { changePassword } from '../../../../src/account/identity/members/change-password.ts';
import {
  confirmSecondFactor,
  renewBackupCodes,
} from '../../../../src/account/identity/members/member-factor.ts';
import {
  authenticateSession,
  endOtherSessions,
  endSession,
  FRESH_MS,
  listSessions,
  signOut,
} from '../../../../src/account/identity/members/sessions.ts';
import { SESSION_SECONDS } from '../../../../src/account/identity/members/sign-in.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { loginCredentials, loginSessions } from '../../../../src/store/member-tables.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS, newEmail, PASSWORD, STEP_MS } from './member-world.ts';

describeStores('a session of a member', (backend) => {
  const store = backend.shared();

  test('comes from email and password, in any case of letters, and names account, member and role', async () => {
    const { newOwner, enter, holderOf } = memberWorld(store());
    const { accountId, memberId, email } = await newOwner();
    const session = await enter(email.toUpperCase(), {}, at(NOW_MS, '192.0.2.7'));
    expect(session).toMatchObject({ accountId, memberId, role: 'owner', freshFactorUntilMs: 0 });
    const holder = await holderOf(session.token);
    expect(holder).toMatchObject({ accountId, memberId, role: 'owner', freshFactorUntilMs: 0 });
    expect(await listSessions({ store: store() }, holder, NOW_MS)).toEqual([
      {
        sessionId: holder.sessionId,
        address: '192.0.2.7',
        userAgent: 'test',
        isCurrent: true,
        createdAt: new Date(NOW_MS),
        expiresAt: session.expiresAt,
      },
    ]);
  });

  test('is refused without a token, with one that was never issued, and from its expiry on', async () => {
    const { newOwner, enter, holderOf } = memberWorld(store());
    const { token, expiresAt } = await enter((await newOwner()).email);
    expect(expiresAt.getTime()).toBe(NOW_MS + SESSION_SECONDS * 1_000);
    await expect(authenticateSession(store().db, undefined, NOW_MS)).rejects.toMatchObject({
      code: 'sessionMissing',
    });
    for (const wrong of ['x', `${token}x`, token.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a'))])
      await expect(holderOf(wrong)).rejects.toMatchObject({ code: 'sessionInvalid' });
    await expect(holderOf(token, expiresAt.getTime() - 1)).resolves.toMatchObject({ role: 'owner' });
    await expect(holderOf(token, expiresAt.getTime())).rejects.toMatchObject({ code: 'sessionInvalid' });
  });

  test('and a password are stored as digest and hash only', async () => {
    const { newOwner, enter } = memberWorld(store());
    const { token } = await enter((await newOwner()).email);
    const sessions = await store().db.select().from(loginSessions);
    const credentials = await store().db.select().from(loginCredentials);
    expect(sessions.length).toBeGreaterThan(0);
    expect(credentials.length).toBeGreaterThan(0);
    const stored = JSON.stringify([sessions, credentials]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(PASSWORD);
    expect(sessions.every((session) => /^[0-9a-f]{64}$/.test(session.token))).toBe(true);
  });

  test('ends by signing out, one by one, and all others at once', async () => {
    const { newOwner, enter, holderOf } = memberWorld(store());
    const { email } = await newOwner();
    const tokens = [await enter(email), await enter(email), await enter(email), await enter(email)];
    const [first, second, third, fourth] = await Promise.all(tokens.map(({ token }) => holderOf(token)));
    if (first === undefined || second === undefined || third === undefined || fourth === undefined)
      throw new Error('four sessions were opened');
    const deps = { store: store() };
    await signOut(deps, first, at());
    await endSession(deps, second, third.sessionId, at());
    await expect(endSession(deps, second, third.sessionId, at())).rejects.toMatchObject({
      code: 'sessionNotFound',
    });
    const isLive = async () =>
      Promise.all(tokens.map(({ token }) => holderOf(token).then(Boolean, () => false)));
    expect(await isLive()).toEqual([false, true, false, true]);
    await endOtherSessions(deps, second, at());
    expect(await isLive()).toEqual([false, true, false, false]);
  });

  test('belongs to a member alone: nobody ends or lists those of another', async () => {
    const { newOwner, enter, holderOf } = memberWorld(store());
    const own = await holderOf((await enter((await newOwner()).email)).token);
    const other = await holderOf((await enter((await newOwner()).email)).token);
    await expect(endSession({ store: store() }, own, other.sessionId, at())).rejects.toMatchObject({
      code: 'sessionNotFound',
    });
    expect(await listSessions({ store: store() }, own, NOW_MS)).toHaveLength(1);
  });

  test('needs the code once a second factor is enrolled, and is fresh then for five minutes', async () => {
    const { freshOwner, enter, holderOf } = memberWorld(store());
    const { email, codeAt } = await freshOwner();
    await expect(enter(email)).rejects.toMatchObject({ code: 'secondFactorRequired' });
    const nowMs = NOW_MS + STEP_MS;
    await expect(enter(email, { code: codeAt(NOW_MS) }, at(nowMs))).rejects.toMatchObject({
      code: 'secondFactorInvalid',
    });
    const { token, freshFactorUntilMs } = await enter(email, { code: codeAt(nowMs) }, at(nowMs));
    expect(freshFactorUntilMs).toBe(nowMs + FRESH_MS);
    expect((await holderOf(token)).freshFactorUntilMs).toBe(nowMs + FRESH_MS);
  });

  test('becomes fresh again by another code, or by a backup code', async () => {
    const { deps, freshOwner, holderOf } = memberWorld(store());
    const { token, codeAt, backupCodes } = await freshOwner();
    const later = NOW_MS + 10 * MINUTE_MS;
    const stale = await holderOf(token, later);
    await expect(renewBackupCodes(deps, stale, at(later))).rejects.toMatchObject({
      code: 'freshFactorRequired',
    });
    const first = await confirmSecondFactor(deps, stale, codeAt(later), at(later));
    expect(first.freshFactorUntilMs).toBe(later + FRESH_MS);
    const [spelled = ''] = backupCodes;
    const again = await confirmSecondFactor(deps, stale, ` ${spelled.toLowerCase()}`, at(later + 1));
    expect(again.freshFactorUntilMs).toBe(later + 1 + FRESH_MS);
    const renewed = await renewBackupCodes(deps, await holderOf(again.token, later), at(later));
    expect(renewed).toHaveLength(10);
    await expect(confirmSecondFactor(deps, stale, backupCodes[1] ?? '', at(later))).rejects.toMatchObject({
      code: 'secondFactorInvalid',
    });
  });

  test('stays when the password is changed; the others end, and the old password opens nothing', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const { email } = await newOwner();
    const [kept, ended] = [await enter(email), await enter(email)];
    const holder = await holderOf(kept.token);
    const next = 'a quite different passphrase';
    const change = (present: string, wanted: string) =>
      changePassword(deps, holder, { present, next: wanted }, at());
    await expect(change('wrong horse battery', next)).rejects.toMatchObject({ code: 'passwordWrong' });
    await expect(change(PASSWORD, 'x'.repeat(11))).rejects.toMatchObject({ code: 'passwordUnfit' });
    await expect(change(PASSWORD, 'x'.repeat(129))).rejects.toMatchObject({ code: 'passwordUnfit' });
    await change(PASSWORD, next);
    await expect(holderOf(ended.token)).rejects.toMatchObject({ code: 'sessionInvalid' });
    await expect(holderOf(kept.token)).resolves.toMatchObject({ sessionId: holder.sessionId });
    await expect(enter(email)).rejects.toMatchObject({ code: 'signInFailed' });
    await expect(enter(email, { password: next })).resolves.toMatchObject({ role: 'owner' });
  });

  test('is on record in the audit log, which stays intact', async () => {
    const { newOwner, enter } = memberWorld(store());
    const { accountId, memberId, email } = await newOwner();
    await enter(email);
    const records = await store()
      .db.select()
      .from(auditRecords)
      .where(eq(auditRecords.accountId, accountId))
      .orderBy(auditRecords.seq);
    expect(records.map(({ action, memberId: by }) => [action, by])).toEqual([
      ['setup_link.create', null],
      ['setup_link.accept', memberId],
      ['session.sign_in', memberId],
    ]);
    const verdict = await verifyAudit(
      { store: store(), headsFile: '/nonexistent/heads', trustedKeys: [] },
      accountId,
    );
    expect(verdict).toMatchObject({ isSound: true, accounts: [{ records: 3 }] });
    await store().db.execute(`alter table audit_records disable trigger user` as never);
    await store()
      .db.update(auditRecords)
      .set({ subject: newEmail() })
      .where(eq(auditRecords.accountId, accountId));
    await store().db.execute(`alter table audit_records enable trigger user` as never);
    const forged = await verifyAudit(
      { store: store(), headsFile: '/nonexistent/heads', trustedKeys: [] },
      accountId,
    );
    expect(forged.isSound).toBe(false);
  });
});
