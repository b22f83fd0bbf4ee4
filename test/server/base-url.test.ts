import { expect, test } from 'vitest';
import { createBaseUrlOf } from '../../src/server/http/base-url.ts';

const nobody = () => false;
const loopback = (address: string | undefined) => address === '127.0.0.1';

/** The server's end of a connection. */
const socketAt = (localAddress: string, isEncrypted = false) => ({
  localAddress,
  localPort: 8080,
  remoteAddress: '127.0.0.1',
  ...(isEncrypted && { encrypted: true }),
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['::ffff:127.0.0.1', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
])('without a host that can be one it is the end of the connection: %s', (address, expected) => {
  const baseUrlOf = createBaseUrlOf({ trustsPeer: nobody });
  expect(baseUrlOf({ headers: { host: 'a b' }, socket: socketAt(address) })).toBe(expected);
  expect(baseUrlOf({ headers: {}, socket: socketAt(address) })).toBe(expected);
});

test('with TLS of its own it is https, with an empty word of a proxy too', () => {
  const request = { headers: { host: 'node.example' }, socket: socketAt('127.0.0.1', true) };
  expect(createBaseUrlOf({ trustsPeer: nobody })(request)).toBe('https://node.example');
  const behind = createBaseUrlOf({ trustsPeer: loopback });
  expect(behind({ ...request, headers: { host: 'a', 'x-forwarded-proto': '' } })).toBe('https://a');
});

test('what a peer that is no trusted proxy writes of the address is not believed', () => {
  const headers = { host: 'node.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const socket = { ...socketAt('192.0.2.1'), remoteAddress: '192.0.2.9' };
  expect(createBaseUrlOf({ trustsPeer: loopback })({ headers, socket })).toBe('http://node.example');
});

test.each([
  [{ 'x-forwarded-proto': 'https,http' }, 'https://node.example'],
  [{ 'x-forwarded-proto': 'http, https' }, 'https://node.example'],
  [{ 'x-forwarded-proto': 'http, HTTP' }, 'http://node.example'],
  [{ forwarded: 'for=203.0.113.9;proto=http' }, 'http://node.example'],
  [{ forwarded: 'for=203.0.113.9;proto=https, for=10.0.0.1;proto=http' }, 'https://node.example'],
  [{ forwarded: 'for=_x;host="a.example";proto=https, for=_y;host=b.example' }, 'https://b.example'],
  [{ forwarded: 'host=a.example', 'x-forwarded-host': 'b.example' }, 'https://b.example'],
])('a trusted proxy that writes %j is at %s', (written, expected) => {
  const request = { headers: { host: 'node.example', ...written }, socket: socketAt('127.0.0.1') };
  expect(createBaseUrlOf({ trustsPeer: loopback })(request)).toBe(expected);
});
