import { inspect } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import {
  checkTwoFactor,
  readTwoFactor,
  enrolTwoFactor,
  removeTwoFactor,
  type TwoFactorFinding,
} from '../../../../src/account/identity/two-factor/two-factor.ts';
import { twoFactors } from '../../../../src/store/access-tables.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { newInstallationKey } from '../../test-installation-key.ts';

const STEP_MS = 30_000;
const LOCK_MS = 15 * 60_000;
const installationKey = await newInstallationKey();

describeStores('a second factor', (backend) => {
  const store = backend.shared();

  /** An enrolled account: its codes, and what is said of them. */
  async function enrolled() {
    const accountId = await newCustomer(store());
    const places = { store: store(), installationKey };
    const shown = await enrolTwoFactor(places, { accountId, account: 'acme' }, NOW_MS);
    const codeAt = (nowMs: number): string =>
      TOTP.generate({ secret: Secret.fromBase32(shown.secret), timestamp: nowMs });
    const check = async (code: string, nowMs = NOW_MS, key = installationKey): Promise<TwoFactorFinding> => {
      const seen = await readTwoFactor(store().db, accountId);
      return checkTwoFactor(
        { store: store(), installationKey: key },
        { accountId, tokenId: 't', code, nowMs },
        seen,
      );
    };
    /** A code that no step near this time has. */
    const wrong = ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].filter((code) =>
      [-2, -1, 0, 1, 2].every((steps) => codeAt(NOW_MS + steps * STEP_MS) !== code),
    )[0];
    return { accountId, shown, codeAt, check, wrong: wrong ?? '' };
  }

  test('takes the code of now, of the step before and of the one after, each once', async () => {
    for (const steps of [-1, 0, 1]) {
      const { codeAt, check } = await enrolled();
      const code = codeAt(NOW_MS + steps * STEP_MS);
      expect([(await check(code)).kind, (await check(code)).kind]).toEqual(['ok', 'invalid']);
    }
    const { codeAt, check } = await enrolled();
    expect((await check(codeAt(NOW_MS + 2 * STEP_MS))).kind).toBe('invalid');
    expect((await check(codeAt(NOW_MS - 2 * STEP_MS))).kind).toBe('invalid');
  });

  test('takes no code of a step before one that was used', async () => {
    const { codeAt, check } = await enrolled();
    expect((await check(codeAt(NOW_MS + STEP_MS))).kind).toBe('ok');
    expect((await check(codeAt(NOW_MS))).kind).toBe('invalid');
    expect((await check(codeAt(NOW_MS + 2 * STEP_MS), NOW_MS + STEP_MS)).kind).toBe('ok');
  });

  test('is used by one of many that send the same code at once', async () => {
    const { codeAt, check } = await enrolled();
    const found = await Promise.all(Array.from({ length: 4 }, () => check(codeAt(NOW_MS))));
    expect(found.map(({ kind }) => kind).sort()).toEqual(['invalid', 'invalid', 'invalid', 'ok']);
  });

  test('is locked for 15 minutes by the fifth wrong code in a row, for right ones too', async () => {
    const { codeAt, check, wrong } = await enrolled();
    for (let count = 0; count < 4; count += 1) expect((await check(wrong)).kind).toBe('invalid');
    expect((await check(codeAt(NOW_MS))).kind).toBe('ok');
    for (let count = 0; count < 5; count += 1) expect((await check(wrong)).kind).toBe('invalid');
    const locked = { kind: 'locked', retryAtMs: NOW_MS + LOCK_MS };
    expect(await check(wrong)).toEqual(locked);
    const last = NOW_MS + LOCK_MS - 1;
    expect(await check(codeAt(last), last)).toEqual(locked);
    expect((await check(codeAt(last + 1), last + 1)).kind).toBe('ok');
  });

  test('looks at five codes, however many are sent at once', async () => {
    const { check, wrong } = await enrolled();
    const found = await Promise.all(Array.from({ length: 12 }, () => check(wrong)));
    expect(found.filter(({ kind }) => kind === 'invalid')).toHaveLength(5);
    expect(found.filter(({ kind }) => kind === 'locked')).toHaveLength(7);
  });

  test('is used by one of the right codes that are sent together with wrong ones', async () => {
    const { accountId, codeAt, check, wrong } = await enrolled();
    const codes = [wrong, codeAt(NOW_MS), wrong, codeAt(NOW_MS), wrong];
    const found = await Promise.all(codes.map((code) => check(code)));
    expect(found.map(({ kind }) => kind).sort()).toEqual([...Array(4).fill('invalid'), 'ok']);
    const [row] = await store().db.select().from(twoFactors).where(eq(twoFactors.accountId, accountId));
    expect(row?.lastStep).toBe(Math.floor(NOW_MS / STEP_MS));
  });

  test('is enrolled once, removed once, and new then', async () => {
    const { accountId, codeAt, check } = await enrolled();
    const places = { store: store(), installationKey };
    const again = () => enrolTwoFactor(places, { accountId, account: 'acme' }, NOW_MS);
    await expect(again()).rejects.toMatchObject({ code: 'twoFactorAlreadyEnrolled' });
    await removeTwoFactor(store(), accountId);
    expect((await check(codeAt(NOW_MS))).kind).toBe('notEnrolled');
    await expect(removeTwoFactor(store(), accountId)).rejects.toMatchObject({ code: 'twoFactorNotEnrolled' });
    await again();
    expect((await check(codeAt(NOW_MS))).kind).toBe('invalid');
  });

  test('is sealed at rest: for its account, and under the key of its installation', async () => {
    const { accountId, shown, codeAt, check } = await enrolled();
    const rows = await store().db.select().from(twoFactors);
    const bytes = Buffer.from(Secret.fromBase32(shown.secret).bytes);
    expect(inspect(rows, { maxArrayLength: null })).not.toContain(shown.secret);
    for (const { sealedSecret } of rows) expect(Buffer.from(sealedSecret).includes(bytes)).toBe(false);

    const other = await newInstallationKey();
    await expect(check(codeAt(NOW_MS), NOW_MS, other)).rejects.toMatchObject({
      code: 'installationKeyWrong',
      cause: { message: expect.stringContaining(other.path) },
    });
    const thief = await newCustomer(store());
    const own = rows.find((row) => row.accountId === accountId);
    if (own !== undefined)
      await store()
        .db.insert(twoFactors)
        .values({ ...own, accountId: thief });
    const places = { store: store(), installationKey };
    const attempt = { accountId: thief, tokenId: 't', code: codeAt(NOW_MS), nowMs: NOW_MS };
    const stolen = checkTwoFactor(places, attempt, await readTwoFactor(store().db, thief));
    await expect(stolen).rejects.toMatchObject({ code: 'installationKeyWrong' });
    await removeTwoFactor(store(), thief);
  });
});
