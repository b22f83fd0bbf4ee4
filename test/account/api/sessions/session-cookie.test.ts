import { expect, test } from 'vitest';
import {
  endedSessionCookie,
  readSessionCookie,
  sessionCookie,
} from '../../../../src/server/rest/session-cookie.ts';
import { assertSameSite } from '../../../../src/server/rest/authenticate-caller.ts';

const ENDS = new Date('2026-01-22T09:30:00.000Z');
const OWN = 'https://keyslot.example';

test('over https the cookie is bound to the host and to https', () => {
  const cookie = sessionCookie('ks_ses_x', ENDS, OWN);
  expect(cookie).toBe(
    '__Host-keyslot_session=ks_ses_x; Expires=Thu, 22 Jan 2026 09:30:00 GMT; Path=/; HttpOnly; SameSite=Strict; Secure',
  );
  expect(endedSessionCookie(OWN)).toBe(
    '__Host-keyslot_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
  );
});

test('below a path the cookie is bound to that path', () => {
  const below = `${OWN}/keyslot`;
  expect(sessionCookie('ks_ses_x', ENDS, below)).toBe(
    '__Secure-keyslot_session=ks_ses_x; Expires=Thu, 22 Jan 2026 09:30:00 GMT; Path=/keyslot; HttpOnly; SameSite=Strict; Secure',
  );
  expect(endedSessionCookie('http://keyslot.example/keyslot')).toBe(
    'keyslot_session=; Max-Age=0; Path=/keyslot; HttpOnly; SameSite=Strict',
  );
  expect(readSessionCookie({ cookie: '__Secure-keyslot_session=1' }, below)).toBe('1');
});

test('a cookie is read by its own name alone, the first of several', () => {
  const cookie = 'a=1; xkeyslot_session=2; keyslot_session=3; keyslot_session=4; __Host-keyslot_session=5';
  expect(readSessionCookie({ cookie }, 'http://localhost:8899')).toBe('3');
  expect(readSessionCookie({ cookie }, OWN)).toBe('5');
  expect(readSessionCookie({}, OWN)).toBeUndefined();
});

test.each([
  [{}, true],
  [{ origin: OWN }, true],
  [{ origin: 'null' }, false],
  [{ origin: `${OWN}.evil.example` }, false],
  [{ origin: 'http://keyslot.example' }, false],
  [{ 'sec-fetch-site': 'same-origin', origin: 'https://behind.proxy.example' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'same-site', origin: OWN }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
] as const)('a request with %o is from the own pages: %s', (headers, isOwn) => {
  const check = (): void => assertSameSite(headers, OWN);
  if (isOwn) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: 'crossSiteRequest' }));
});
