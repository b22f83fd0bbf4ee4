import { expect, test } from 'vitest';
import { compileRules } from '../../src/account/key-rules.ts';
import { createAuthenticate, type KeyFinder } from '../../src/gate/authenticate.ts';
import { createTrustsPeer } from '../../src/gate/client-address.ts';

const INSIDE = '203.0.113.9';

/** How a key for 203.0.113.0/24 is answered when a peer says that it speaks for an address of it. */
function answer(peer: string, trustedProxies: readonly string[] = [], isBehindProxy = true): string {
  const checkSource = compileRules({ origins: [], cidrs: ['203.0.113.0/24'] });
  const keys: KeyFinder = {
    find: () => ({ kind: 'valid', keyId: 'k', accountId: 'a', checkSource }),
  };
  const authenticate = createAuthenticate(
    keys,
    { nowMs: () => 0 },
    createTrustsPeer({ isBehindProxy, trustedProxies }),
  );
  const headers = { 'x-api-key': 'ks_key_x', 'x-forwarded-for': INSIDE };
  const socket = { remoteAddress: peer } as Parameters<typeof authenticate>[0]['socket'];
  try {
    return authenticate({ url: '/', headers, socket }).keyId;
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
