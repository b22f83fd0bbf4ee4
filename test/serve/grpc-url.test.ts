import { expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { createGrpcUrlOf } from '../../src/serve/start-serving.ts';

const NODE = { KEYSLOT_UPSTREAM_URL: 'http://127.0.0.1:8899' };

test.each([
  [{}, 'http://127.0.0.1:8080', 'http://127.0.0.1:50051'],
  [{}, 'http://[::1]:8080', 'http://[::1]:50051'],
  [{}, 'https://rpc.example/base', 'http://rpc.example:50051'],
  [{ KEYSLOT_BEHIND_PROXY: '1' }, 'https://rpc.example', undefined],
  [
    { KEYSLOT_BEHIND_PROXY: '1', KEYSLOT_GRPC_PUBLIC_URL: 'https://grpc.example' },
    'https://rpc.example',
    'https://grpc.example',
  ],
  [
    { KEYSLOT_GRPC_PUBLIC_URL: 'https://grpc.example:8443' },
    'http://127.0.0.1:8080',
    'https://grpc.example:8443',
  ],
])('with %o, clients of %s reach the topic streams at %s', (env, baseUrl, url) => {
  const config = loadConfig({ env: { ...NODE, ...env } });
  expect(createGrpcUrlOf(config, () => 50_051)(baseUrl)).toBe(url);
});

test('with TLS the address is https', () => {
  const config = loadConfig({ env: NODE });
  const http = { ...config.http, tls: { cert_file: 'cert.pem', key_file: 'key.pem' } };
  expect(createGrpcUrlOf({ ...config, http }, () => 443)('https://rpc.example:8443')).toBe(
    'https://rpc.example:443',
  );
});

test('there is none before the port is known', () => {
  expect(
    createGrpcUrlOf(loadConfig({ env: NODE }), () => undefined)('http://127.0.0.1:8080'),
  ).toBeUndefined();
});

test('an address with a path is refused', () => {
  const load = () =>
    loadConfig({ env: { ...NODE, KEYSLOT_GRPC_PUBLIC_URL: 'https://grpc.example/streams' } });
  expect(load).toThrow(/grpc.public_url/);
});
