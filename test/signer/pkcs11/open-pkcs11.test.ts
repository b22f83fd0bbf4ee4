import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { HSM_CHECKS } from '../../../src/signer/hsm/check/checks.ts';
import { runCheck } from '../../../src/signer/hsm/check/run-checks.ts';
import { type Hsm, isSignature } from '../../../src/signer/hsm/hsm.ts';
import { openTokenHsm } from '../../../src/signer/hsm/pkcs11/open-pkcs11.ts';
import { type FakeToken, newFakeToken } from '../fixture/fake-cryptoki.ts';

const MESSAGE = Buffer.from('a message');
const SETTINGS = { library: 'fake', token: 'fake', pin: '1234', sessions: 2, wrap: true };

const open = (token: FakeToken, more: object = {}): Promise<Hsm> =>
  openTokenHsm(token.cryptoki, { ...SETTINGS, ...more });

async function openWithKey(token: FakeToken, more: object = {}) {
  const hsm = await open(token, more);
  const owner = { walletId: randomUUID(), accountId: 'a' };
  const { publicKey, sealed } = await hsm.createKey(owner, { isRepeat: false });
  const signs = async () => isSignature(publicKey, MESSAGE, await hsm.sign({ ...owner, sealed }, MESSAGE));
  return { hsm, owner, sealed, signs };
}

for (const [name, wrap, canWrap] of [
  ['wrapping', true, true],
  ['keeping', false, true],
  ['that cannot wrap', true, false],
] as const) {
  for (const check of HSM_CHECKS) {
    test(`a token ${name}: ${check.name}`, async () => {
      const hsm = await open(Object.assign(newFakeToken(), { canWrap }), { wrap });
      expect((await runCheck(hsm, check)).reason).toBeUndefined();
    });
  }
}

test('wrapped keys leave nothing in the token but the two keys that protect them', async () => {
  const token = newFakeToken();
  const { hsm, sealed, signs } = await openWithKey(token);
  expect(await signs()).toBe(true);
  expect([hsm.traits.keysIn, sealed[0], token.tokenObjects()]).toEqual(['row', 3, 2]);
  expect(hsm.traits.protection).toMatch(/wrapped by a key that does not leave the token/);
});

test('keys made before a change from keeping to wrapping, or back, still sign', async () => {
  const token = newFakeToken();
  const kept = await openWithKey(token, { wrap: false });
  const wrapping = await openWithKey(token);
  expect(await wrapping.hsm.sign({ ...kept.owner, sealed: kept.sealed }, MESSAGE)).toHaveLength(64);
  const keeping = await open(token, { wrap: false });
  expect(await keeping.sign({ ...wrapping.owner, sealed: wrapping.sealed }, MESSAGE)).toHaveLength(64);
});

test('a session that failed in the middle of an operation is never used again', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token, { wrap: false, sessions: 1 });
  const before = token.openSessions();
  token.failNext.set('C_Sign', ['CKR_FUNCTION_CANCELED', 0x50]);
  await expect(signs()).rejects.toMatchObject({ code: 'keyBackendFailed' });
  expect(token.openSessions()).toBe(before - 1);
  expect(await signs()).toBe(true);
});

test.each([
  ['CKR_SESSION_HANDLE_INVALID', 0xb3],
  ['CKR_USER_NOT_LOGGED_IN', 0x101],
  ['CKR_DEVICE_REMOVED', 0x32],
  ['CKR_KEY_HANDLE_INVALID', 0x60],
])('after %s it logs in again and the call succeeds', async (name, code) => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token, { wrap: false });
  token.failNext.set('C_SignInit', [name, code]);
  expect(await signs()).toBe(true);
  expect(token.logins).toHaveLength(2);
});

test('an error that says nothing costs no login while the token is there', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token, { wrap: false });
  token.failNext.set('C_SignInit', ['CKR_GENERAL_ERROR', 0x05]);
  await expect(signs()).rejects.toMatchObject({ code: 'keyBackendFailed' });
  expect(token.logins).toHaveLength(1);
  expect(await signs()).toBe(true);
});

test('a token that is away fails every call, many at once too, and logs in once when it is back', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token);
  token.isPresent = false;
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, signs));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
  token.isPresent = true;
  expect(await Promise.all(Array.from({ length: 20 }, signs))).toEqual(Array(20).fill(true));
  expect(token.logins).toHaveLength(2);
});

test('a PIN that the token refuses is tried once, however many calls come', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token);
  token.pin = 'changed';
  token.failNext.set('C_SignInit', ['CKR_SESSION_CLOSED', 0xb0]);
  for (let call = 0; call < 3; call += 1)
    await expect(signs()).rejects.toMatchObject({ code: 'keyBackendFailed' });
  expect(token.logins).toHaveLength(2);
});

test.each([
  [0x20000, /one more wrong PIN locks it/],
  [0x40000, /its PIN is locked/],
])(
  'a PIN is not tried at the start when the next wrong one locks the token: flags %i',
  async (flags, message) => {
    const token = Object.assign(newFakeToken(), { flags });
    await expect(open(token)).rejects.toMatchObject({
      code: 'tokenPinRefused',
      message: expect.stringMatching(message),
    });
    expect(token.logins).toEqual([]);
  },
);

test('a PIN that the token took is tried again, though others have used up the tries', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token);
  token.flags = 0x20000;
  token.failNext.set('C_SignInit', ['CKR_USER_NOT_LOGGED_IN', 0x101]);
  expect(await signs()).toBe(true);
});

test.each([
  [{ makesSensitiveKeys: false, canWrap: false }, 'the token made a key that is not sensitive'],
  [{ mixesUpKeys: true }, 'the token made a key that does not sign for its public key'],
])('a key that is not as it must be is refused, and destroyed: %j', async (fault, message) => {
  const token = Object.assign(newFakeToken(), fault);
  const hsm = await open(token, { wrap: false });
  await expect(hsm.createKey({ walletId: 'w', accountId: 'a' }, { isRepeat: false })).rejects.toMatchObject({
    code: 'keyBackendFailed',
    cause: { message },
  });
  expect(token.tokenObjects()).toBe(0);
});

test('a key whose first signature fails is destroyed, and the reason is told', async () => {
  const token = Object.assign(newFakeToken(), { canWrap: false });
  const hsm = await open(token, { wrap: false });
  token.failNext.set('C_Sign', ['CKR_FUNCTION_CANCELED', 0x50]);
  token.failNext.set('C_FindObjectsInit', ['CKR_ACTION_PROHIBITED', 0x1b]);
  const owner = { walletId: 'w', accountId: 'a' };
  const reason = { code: 'keyBackendFailed', cause: { cause: { message: 'CKR_FUNCTION_CANCELED' } } };
  await expect(hsm.createKey(owner, { isRepeat: false })).rejects.toMatchObject(reason);
  token.failNext.set('C_Sign', ['CKR_FUNCTION_CANCELED', 0x50]);
  await expect(hsm.createKey(owner, { isRepeat: true })).rejects.toMatchObject(reason);
  expect(token.tokenObjects()).toBe(0);
});

test('a wallet that is deleted while it signs costs no login', async () => {
  const token = newFakeToken();
  const { owner, sealed } = await openWithKey(token, { wrap: false });
  const again = await open(token, { wrap: false, sessions: 4 });
  const logins = token.logins.length;
  const [made, signed, deleted] = await Promise.allSettled([
    again.createKey({ walletId: 'another', accountId: 'a' }, { isRepeat: false }),
    again.sign({ ...owner, sealed }, MESSAGE),
    again.destroyKey(owner),
  ]);
  expect([made.status, signed.status, deleted.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(signed).toMatchObject({ reason: { cause: { message: 'the token has no such key' } } });
  expect(token.logins).toHaveLength(logins);
});

test('a key that was just made is not looked for', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token, { wrap: false });
  expect([await signs(), token.looks]).toEqual([true, 0]);
});

test.each([
  ['kept in it', false],
  ['wrapped', true],
])('nobody looks through a token while an object is added to it: keys %s', async (_, wrap) => {
  const token = newFakeToken();
  const { hsm, owner, sealed } = await openWithKey(token, { wrap: false });
  await hsm.close();
  const again = await open(token, { sessions: 32, wrap });
  const newOwners = Array.from({ length: 20 }, () => ({ walletId: randomUUID(), accountId: 'a' }));
  const sign = () => again.sign({ ...owner, sealed }, MESSAGE);
  const creating = newOwners.map((newOwner) => again.createKey(newOwner, { isRepeat: false }));
  const destroyMany = async () => {
    for (let count = 0; count < 20; count += 1)
      await again.destroyKey({ walletId: 'another', accountId: 'a' });
  };
  await Promise.all([...creating, destroyMany(), sign(), sign()]);
  await Promise.all(newOwners.map((newOwner) => again.createKey(newOwner, { isRepeat: true })));
  expect(token.looks).toBeGreaterThan(newOwners.length);
  expect(token.looksWhileAdding).toBe(0);
});

test('all operations share the sessions that are configured, and one for the login', async () => {
  const token = newFakeToken();
  const { signs } = await openWithKey(token, { sessions: 3 });
  await Promise.all(Array.from({ length: 50 }, signs));
  expect(token.openSessions()).toBeLessThanOrEqual(4);
});

test('a row that says it was wrapped makes no keys in a token that keeps them', async () => {
  const token = newFakeToken();
  const { hsm, owner, sealed } = await openWithKey(token, { wrap: false });
  const forged = Buffer.concat([Buffer.of(3), sealed.subarray(1), Buffer.alloc(64)]);
  await expect(hsm.sign({ ...owner, sealed: forged }, MESSAGE)).rejects.toMatchObject({
    code: 'keyBackendFailed',
    cause: { message: 'the token has no key labelled "keyslot wrapping key"' },
  });
  expect(token.tokenObjects()).toBe(1);
});

test('calls at the same time make the keys that wrap once', async () => {
  const token = newFakeToken();
  const hsm = await open(token, { sessions: 4 });
  const owners = Array.from({ length: 8 }, () => ({ walletId: randomUUID(), accountId: 'a' }));
  await Promise.all(owners.map((owner) => hsm.createKey(owner, { isRepeat: false })));
  expect(token.tokenObjects()).toBe(2);
});
