import { expect, test } from 'vitest';
import { compileRules } from '../../src/account/identity/api-keys/key-rules.ts';
import { createAuthenticate, type KeyFinder } from '../../src/server/access/authenticate.ts';
import {
  createClientAddress,
  createTrustsPeer,
  type RequestSource,
} from '../../src/server/access/client-address.ts';

const INSIDE = '203.0.113.9';

/** The answer to a key for 203.0.113.0/24 when a peer names an address of that network. */
function answer(peer: string, trustedProxies: readonly string[] = [], isBehindProxy = true): string {
  const checkSource = compileRules({ origins: [], cidrs: ['203.0.113.0/24'] });
  const keys: KeyFinder = {
    find: () => ({ kind: 'valid', keyId: 'k', accountId: 'a', checkSource }),
  };
  const authenticate = createAuthenticate(
    keys,
    { nowMs: () => 0 },
    createClientAddress(createTrustsPeer({ isBehindProxy, trustedProxies })),
  );
  const headers = { 'x-api-key': 'ks_key_x', 'x-forwarded-for': INSIDE };
  const socket = { remoteAddress: peer } as Parameters<typeof authenticate>[0]['socket'];
  try {
    return authenticate({ url: '/', headers, socket }, 'solana-localnet').keyId;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  }
}

test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
  'behind a proxy the loopback peer %s is believed',
  (peer) => expect(answer(peer)).toBe('k'),
);

test.each(['10.1.2.3', '192.0.2.1', 'fd00::1', '2001:db8::1', '::ffff:10.1.2.3'])(
  'the peer %s, which is no proxy that was named, is not believed',
  (peer) => expect(answer(peer)).toBe('apiKeyAddressRefused'),
);

test.each([
  ['10.1.2.3', '10.0.0.0/8'],
  ['::ffff:10.1.2.3', '10.0.0.0/8'],
  ['fd00::1', 'fd00::/8'],
  ['192.0.2.1', '192.0.2.1'],
  ['127.0.0.1', '10.0.0.0/8'],
])('the peer %s is believed with the proxies %s', (peer, network) =>
  expect(answer(peer, [network])).toBe('k'),
);

test.each([
  ['11.1.2.3', '10.0.0.0/8'],
  ['fe00::1', 'fd00::/8'],
  ['192.0.2.2', '192.0.2.1'],
])('the peer %s is not believed with the proxies %s', (peer, network) =>
  expect(answer(peer, [network])).toBe('apiKeyAddressRefused'),
);

test('a peer that is not believed is itself the client', () => {
  expect(answer(INSIDE)).toBe('k');
});

test('where no proxy is configured nobody is believed', () => {
  expect(answer('127.0.0.1', [], false)).toBe('apiKeyAddressRefused');
});

type Headers = RequestSource['headers'];

/** The client that a proxy on this machine speaks for, where 10.0.0.0/8 is trusted too; and the unreadable headers. */
function clientOf(headers: Headers) {
  const unreadable: string[] = [];
  const trusts = createTrustsPeer({ isBehindProxy: true, trustedProxies: ['10.0.0.0/8'] });
  const clientAddress = createClientAddress(trusts, (header) => unreadable.push(header));
  return { client: clientAddress({ headers, socket: { remoteAddress: '127.0.0.1' } }), unreadable };
}

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
  ['203.0.113.9,', '203.0.113.9'],
  ['203.0.113.9, ,', '203.0.113.9'],
  ['198.51.100.1,203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9:1, 127.0.0.1, 10.1.2.3:443', '203.0.113.9'],
  ['10.1.2.3, 10.1.2.4', '10.1.2.3'],
])('X-Forwarded-For: %s names %s', (header, client) => {
  expect(clientOf({ 'x-forwarded-for': header })).toEqual({ client, unreadable: [] });
});

test.each([
  ['for=203.0.113.9', '203.0.113.9'],
  ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
  ['for="203.0.113.9:_port";proto=https;by=10.0.0.1', '203.0.113.9'],
  ['proto=http; for=198.51.100.1, for=203.0.113.9;proto=https , for=10.1.2.3', '203.0.113.9'],
  ['for=198.51.100.1;host="a,for=1.2.3.4", for="203.0.113.9"', '203.0.113.9'],
])('Forwarded: %s names %s', (forwarded, client) => {
  expect(clientOf({ forwarded })).toEqual({ client, unreadable: [] });
  expect(clientOf({ forwarded, 'x-forwarded-for': '192.0.2.1' }).client).toBe('192.0.2.1');
});

test.each<[Headers, string]>([
  [{ 'x-forwarded-for': 'unknown' }, 'X-Forwarded-For'],
  [{ 'x-forwarded-for': '203.0.113.9, _hidden' }, 'X-Forwarded-For'],
  [{ 'x-forwarded-for': '203.0.113.9.1' }, 'X-Forwarded-For'],
  [{ 'x-forwarded-for': '[203.0.113.9' }, 'X-Forwarded-For'],
  [{ forwarded: 'for=203.0.113.9, for=unknown' }, 'Forwarded'],
  [{ forwarded: 'proto=https' }, 'Forwarded'],
  [{ forwarded: 'for="203.0.113.9' }, 'Forwarded'],
])('%j names nobody, and is reported', (headers, header) => {
  expect(clientOf(headers)).toEqual({ client: undefined, unreadable: [header] });
});

test('a proxy that names nobody is no client itself', () => {
  expect(clientOf({})).toEqual({ client: undefined, unreadable: [] });
});
