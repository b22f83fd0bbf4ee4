import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG_SETTINGS } from '../../../generated/config.ts';
import { loadConfig, type ConfigSources } from '../../../src/core/config/load-config.ts';
import { unknownVariables } from '../../../src/core/config/unknown-variables.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { readSources } from '../../support/source-files.ts';

const directory = useNewDirectory();

function problemsOf(sources: Partial<ConfigSources>): string {
  try {
    loadConfig({ env: {}, ...sources });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('the configuration passed');
}

function file(text: string): string {
  const path = join(directory(), 'keyslot.yaml');
  writeFileSync(path, text);
  return path;
}

test('without any source the defaults hold', () => {
  const config = loadConfig({ env: {} });
  expect(config).toMatchObject({
    data_dir: '.keyslot',
    http: { host: '127.0.0.1', port: 8080 },
    networks: [{ name: 'solana', environment: 'localnet', upstreams: [] }],
  });
});

test('the command line goes before the environment, that before the file, that before the defaults', () => {
  const sources = {
    file: file('http: { port: 1, max_batch_items: 11 }\ndata_dir: from-file\nlog_level: warn\n'),
    env: { KEYSLOT_HTTP_PORT: '2', KEYSLOT_DATA_DIR: 'from-env' },
    cli: { 'http-port': '3' },
  };
  expect(loadConfig(sources)).toMatchObject({
    http: { port: 3, max_batch_items: 11, host: '127.0.0.1' },
    data_dir: 'from-env',
    log_level: 'warn',
  });
});

test('every setting has a description', () => {
  expect(CONFIG_SETTINGS.filter(({ description }) => !/[.)]$/.test(description))).toEqual([]);
});

test('one node needs no file', () => {
  const { networks } = loadConfig({
    env: { KEYSLOT_UPSTREAM_URL: 'http://node.example/?key=1', KEYSLOT_ENVIRONMENT: 'mainnet' },
  });
  const upstream = { url: 'http://node.example/?key=1', roles: ['read', 'send', 'subscribe', 'archive'] };
  expect(networks).toEqual([
    { name: 'solana', environment: 'mainnet', upstreams: [{ ...upstream, weight: 1 }] },
  ]);
});

test('a node’s WebSocket address is checked, and not told', () => {
  const env = {
    KEYSLOT_UPSTREAM_URL: 'http://node.example/',
    KEYSLOT_UPSTREAM_WS_URL: 'ws://[x]/?key=secret',
  };
  const problems = problemsOf({ env });
  expect(problems).toContain(
    'networks.0.upstreams.0.ws_url (KEYSLOT_UPSTREAM_WS_URL) is not a valid WebSocket URL',
  );
  expect(problems).not.toContain('secret');
});

test('an empty environment variable is none', () => {
  expect(loadConfig({ env: { KEYSLOT_UPSTREAM_URL: '', KEYSLOT_HTTP_PORT: '' } }).http.port).toBe(8080);
});

test('the result cannot be changed, however deep', () => {
  const config = loadConfig({ env: {} });
  expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  expect(() => Object.assign(config.networks, { 0: {} })).toThrow(TypeError);
});

test('all problems are told at once, each with setting, value and bound', () => {
  const text = problemsOf({
    file: file('http: { portt: 1 }\nupstream: { body_timeout_ms: 5 }\n'),
    env: {
      KEYSLOT_HTTP_PORT: '65536',
      KEYSLOT_LOG_LEVEL: 'loud',
      KEYSLOT_BEHIND_PROXY: 'maybe',
      KEYSLOT_MAX_BODY_BYTES: '1k',
    },
  });
  expect(text).toContain('http.portt is not a setting');
  expect(text).toContain('upstream.body_timeout_ms (KEYSLOT_UPSTREAM_BODY_TIMEOUT_MS) is 5; must be >= 10');
  expect(text).toContain('http.port (KEYSLOT_HTTP_PORT) is 65536; must be an integer from 0 to 65535');
  expect(text).toContain('log_level (KEYSLOT_LOG_LEVEL) is "loud"; must be one of fatal, error');
  expect(text).toContain('http.behind_proxy (KEYSLOT_BEHIND_PROXY) is "maybe"; must be boolean');
  expect(text).toContain('http.max_body_bytes (KEYSLOT_MAX_BODY_BYTES) is "1k"; must be an integer');
});

test.each([
  ['tls: { cert_file: a }', 'tls is not a setting; did you mean http.tls?'],
  ['trusted_proxies: []', 'trusted_proxies is not a setting; did you mean http.trusted_proxies?'],
  ['http_port: 1', 'http_port is not a setting; did you mean http.port?'],
  ['http: { portt: 1 }', 'http.portt is not a setting; did you mean http.port?'],
  ['hsm: { pin_file: x }', 'hsm.pin_file is not a setting; did you mean hsm.pkcs11.pin_file?'],
  [
    'networks: [{}, { upstreams: [{ url: "http://a", wsurl: b }] }]',
    'networks.1.upstreams.0.wsurl is not a setting; did you mean networks[].upstreams[].ws_url?',
  ],
  ['password: sekret', 'password is not a setting\n'],
])('what is no setting is told with the one that is meant: %s', (text, problem) => {
  expect(`${problemsOf({ file: file(text) })}\n`).toContain(problem);
});

test.each([
  [{ KEYSLOT_GRPC_PORT: '8080' }, 'grpc.port (KEYSLOT_GRPC_PORT) is 8080, which is http.port'],
  [{ KEYSLOT_GRPC_PORT: '8081' }, 'http.ws_port (KEYSLOT_WS_PORT), which defaults to the HTTP port + 1'],
  [
    { KEYSLOT_GRPC_PORT: '9000', KEYSLOT_WS_PORT: '9000' },
    'http.ws_port (KEYSLOT_WS_PORT), which is set to it',
  ],
])('two listeners on one port are refused by their settings: %j', (env, problem) => {
  expect(problemsOf({ env })).toContain(problem);
  expect(() => loadConfig({ env: { ...env, KEYSLOT_GRPC_PORT: '0' } })).not.toThrow();
});

test('variables that are no setting are told with the nearest one, and no value', () => {
  const env = {
    KEYSLOT_HTP_PORT: 'sekret',
    KEYSLOT_CONTRACT_TOKN: 'a',
    KEYSLOT_SOMETHING_ELSE: 'b',
    KEYSLOT_HTTP_PORT: '1',
    KEYSLOT_CONTRACT_TOKEN: 'a',
    KEYSLOT_TEST_TIER: 'all',
    HTTP_PORT: '2',
  };
  expect(unknownVariables(env)).toEqual([
    'KEYSLOT_HTP_PORT is not a setting and has no effect; did you mean KEYSLOT_HTTP_PORT?',
    'KEYSLOT_CONTRACT_TOKN is not a setting and has no effect; did you mean KEYSLOT_CONTRACT_TOKEN?',
    'KEYSLOT_SOMETHING_ELSE is not a setting and has no effect',
  ]);
});

test('each variable that the sources name is known', () => {
  const text = readSources('src')
    .map((source) => source.text)
    .join('\n');
  // A placeholder of pages, and no variable.
  const named = new Set(text.replaceAll('KEYSLOT_NONCE', '').match(/\bKEYSLOT_[A-Z0-9_]*[A-Z0-9]\b/g));
  expect(named.size).toBeGreaterThan(30);
  expect(unknownVariables(Object.fromEntries([...named].map((name) => [name, ''])))).toEqual([]);
});

test('conflicts between valid settings are reported along with invalid settings', () => {
  const text = problemsOf({
    env: {
      KEYSLOT_HTTP_PORT: '65536',
      KEYSLOT_SIGNER_USER: 'signer',
      KEYSLOT_REDIS_URL: 'redis://localhost:6379',
    },
  });
  expect(text).toContain('http.port (KEYSLOT_HTTP_PORT) is 65536');
  expect(text).toContain('gateway_user (KEYSLOT_GATEWAY_USER) and signer_user');
  expect(text).toContain('redis.url (KEYSLOT_REDIS_URL) is set without database_url');
});

test('an invalid address for traces is not shown: it may have a password', () => {
  const text = problemsOf({ env: { KEYSLOT_TRACING_ENDPOINT: 'https://user:p#ss@collector/v1/traces' } });
  expect(text).toContain('tracing.endpoint (KEYSLOT_TRACING_ENDPOINT) is not a URL such as');
  expect(text).not.toContain('p#ss');
});

test('a setting that does not fit is in no conflict', () => {
  const env = { KEYSLOT_REDIS_URL: 'redis://localhost:6379', KEYSLOT_DATABASE_URL: 'mysql://localhost/x' };
  expect(problemsOf({ env })).not.toContain('redis.url');
  const networks = '[{ environment: mars, upstreams: [] }, { environment: devnet, upstreams: [] }]';
  const text = problemsOf({ file: file(`networks: ${networks}`) });
  expect(text).toContain('networks.0.environment');
  expect(text).not.toContain('is empty');
});

test('the value of a secret is not in the text, that of another item of its list neither', () => {
  const secret = 'ftp://user:hunter2@node.example';
  expect(problemsOf({ env: { KEYSLOT_DATABASE_URL: secret, KEYSLOT_UPSTREAM_URL: secret } })).not.toContain(
    'hunter2',
  );
  const upstreams = `[{ url: 'http://ok.example' }, { url: '${secret}' }]`;
  const text = problemsOf({ file: file(`networks: [{ upstreams: ${upstreams} }]`) });
  expect(text).toContain('networks.0.upstreams.1.url');
  expect(text).not.toContain('hunter2');
});

test.each(['0.0.0.0', '::', '192.0.2.1', 'node.example'])(
  '%s is listened on only with TLS or behind a proxy',
  (host) => {
    expect(problemsOf({ env: { KEYSLOT_HTTP_HOST: host } })).toContain('KEYSLOT_BEHIND_PROXY=1');
    expect(loadConfig({ env: { KEYSLOT_HTTP_HOST: host, KEYSLOT_BEHIND_PROXY: '1' } }).http.host).toBe(host);
  },
);

test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s needs neither', (host) => {
  expect(loadConfig({ env: { KEYSLOT_HTTP_HOST: host } }).http.host).toBe(host);
});

test.each(['https://node.example/', 'node.example', 'https://user@node.example', 'https://node.example?a=b'])(
  'the public address has a scheme, and no user, query or slash at its end: %s',
  (url) => {
    expect(problemsOf({ env: { KEYSLOT_PUBLIC_URL: url } })).toContain('KEYSLOT_PUBLIC_URL');
  },
);

test.each(['https://node.example', 'http://10.0.0.7:8080', 'https://node.example/ledger'])(
  '%s can be the public address',
  (url) => {
    expect(loadConfig({ env: { KEYSLOT_PUBLIC_URL: url } }).http.public_url).toBe(url);
  },
);

test('trusted proxies are networks, and need a proxy', () => {
  const trusting = (networks: string, proxy = '1') => ({
    env: { KEYSLOT_TRUSTED_PROXIES: networks, KEYSLOT_BEHIND_PROXY: proxy },
  });
  const all = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1', '2001:db8::1'];
  expect(loadConfig(trusting(all.join(', '))).http.trusted_proxies).toEqual(all);
  expect(problemsOf(trusting('10.0.0.0/33,x'))).toMatch(
    /KEYSLOT_TRUSTED_PROXIES\) has "10.0.0.0\/33"; .*\n.*KEYSLOT_TRUSTED_PROXIES\) has "x"; must be networks/,
  );
  expect(problemsOf(trusting('10.0.0.0/8', '0'))).toContain('without http.behind_proxy');
});

test('a network that is no localnet needs a node', () => {
  expect(problemsOf({ env: { KEYSLOT_ENVIRONMENT: 'devnet' } })).toContain('KEYSLOT_UPSTREAM_URL');
});

test('two networks of the same name and environment are refused', () => {
  const nodes = "upstreams: [{ url: 'http://a.example' }]";
  expect(problemsOf({ file: file(`networks: [{ ${nodes} }, { ${nodes} }]`) })).toContain(
    'the network solana-localnet is configured twice',
  );
});

test('a file that is missing, no YAML or no map is named', () => {
  expect(problemsOf({ file: '/nowhere/keyslot.yaml' })).toContain('--config /nowhere/keyslot.yaml: ENOENT');
  expect(problemsOf({ file: file('a: [1') })).toContain('is not YAML');
  expect(problemsOf({ file: file('- 1') })).toContain('is not a map of settings');
  expect(loadConfig({ env: {}, file: file('') }).http.port).toBe(8080);
});

test.each(['http://', 'http://us%zzer:hunter2@node.example', 'http://user:hunter2@no de/?key=hunter2'])(
  'an invalid address is reported by its setting, without its text: %s',
  (url) => {
    const text = problemsOf({ env: { KEYSLOT_UPSTREAM_URL: url } });
    expect(text).toContain('networks.0.upstreams.0.url (KEYSLOT_UPSTREAM_URL) is not a valid URL');
    expect(text).not.toMatch(/hunter2|us%zzer/);
  },
);

test('TLS files that cannot be read, or are no certificate and key, are told before anything is started', () => {
  const garbage = file('garbage');
  const unreadable = problemsOf({
    env: { KEYSLOT_TLS_CERT_FILE: directory(), KEYSLOT_TLS_KEY_FILE: '/nowhere/key.pem' },
  });
  expect(unreadable).toContain(`http.tls.cert_file (KEYSLOT_TLS_CERT_FILE) ${directory()}: EISDIR`);
  expect(unreadable).toContain('http.tls.key_file (KEYSLOT_TLS_KEY_FILE) /nowhere/key.pem: ENOENT');
  const unusable = problemsOf({ env: { KEYSLOT_TLS_CERT_FILE: garbage, KEYSLOT_TLS_KEY_FILE: garbage } });
  expect(unusable).toContain('http.tls: the files are not a certificate and its private key');
});

test.each(['https://app.example/', 'app.example', 'https://app.example/page'])(
  'the CORS origin %s, which no browser sends, is refused',
  (origin) => {
    const text = problemsOf({ env: { KEYSLOT_CORS_ORIGINS: `https://ok.example,${origin}` } });
    expect(text).toContain(`http.cors_origins.1 (KEYSLOT_CORS_ORIGINS) is "${origin}"`);
    expect(text).not.toContain('cors_origins.0');
  },
);

test('the embedded ledger keeps at most ten million slots', () => {
  const slots = (count: string) => ({ env: { KEYSLOT_LOCALNET_HISTORY_SLOTS: count } });
  expect(loadConfig(slots('10000000')).localnet.history_slots).toBe(10_000_000);
  expect(problemsOf(slots('10000001'))).toContain('is 10000001; must be <= 10000000');
});

test('keys are made in 1 to 64 threads; unless told how many, in one per core', () => {
  const threads = (count: string) => ({ env: { KEYSLOT_KEY_THREADS: count } });
  expect(loadConfig({ env: {} }).wallets.key_threads).toBeUndefined();
  expect([loadConfig(threads('1')), loadConfig(threads('64'))]).toMatchObject([
    { wallets: { key_threads: 1 } },
    { wallets: { key_threads: 64 } },
  ]);
  expect(problemsOf(threads('0'))).toContain('wallets.key_threads (KEYSLOT_KEY_THREADS) is 0; must be >= 1');
  expect(problemsOf(threads('65'))).toContain('is 65; must be <= 64');
});

test('several workers are refused with the embedded store, without Redis and with an embedded ledger, each by name', () => {
  const text = problemsOf({ env: { KEYSLOT_WORKERS: '2' } });
  const is = 'workers (KEYSLOT_WORKERS, --workers) is 2';
  expect(text).toContain(`${is}, and the embedded store is for one process: set database_url`);
  expect(text).toContain(`${is} without redis.url (KEYSLOT_REDIS_URL)`);
  expect(text).toContain(`${is}, and networks.0.upstreams is empty`);
  const shared = {
    KEYSLOT_DATABASE_URL: 'postgres://localhost/x',
    KEYSLOT_REDIS_URL: 'redis://localhost:6379',
    KEYSLOT_UPSTREAM_URL: 'http://127.0.0.1:8899',
  };
  expect(loadConfig({ env: { ...shared, KEYSLOT_WORKERS: '64' } }).workers).toBe(64);
  expect(problemsOf({ env: { ...shared, KEYSLOT_WORKERS: '65' } })).toContain('must be');
  expect(loadConfig({ env: {} }).workers).toBe(1);
});

test('settings of tower are refused with an embedded ledger under alpenglow, and select tower where no consensus is set', () => {
  const alpenglow = { KEYSLOT_LOCALNET_CONSENSUS: 'alpenglow' };
  const reason = 'under alpenglow a confirmed block is final, and blocks hold no votes';
  const needs = `needs localnet.consensus: tower (KEYSLOT_LOCALNET_CONSENSUS): ${reason}`;
  for (const [given, shown] of [
    [{ KEYSLOT_LOCALNET_VOTES: 'true' }, 'localnet.votes (KEYSLOT_LOCALNET_VOTES) is true'],
    [
      { KEYSLOT_LOCALNET_FINALITY_SLOTS: '0' },
      'localnet.finality_slots (KEYSLOT_LOCALNET_FINALITY_SLOTS) is 0',
    ],
  ] as const) {
    expect(problemsOf({ env: { ...alpenglow, ...given } })).toBe(
      `The configuration has an error:\n  ${shown}; ${needs}`,
    );
    for (const consensus of [{}, { KEYSLOT_LOCALNET_CONSENSUS: 'tower' }])
      expect(() => loadConfig({ env: { ...consensus, ...given } })).not.toThrow();
    const node = { KEYSLOT_UPSTREAM_URL: 'http://127.0.0.1:8899' };
    expect(() => loadConfig({ env: { ...alpenglow, ...given, ...node } })).not.toThrow();
  }
  expect(() => loadConfig({ env: { ...alpenglow, KEYSLOT_LOCALNET_VOTES: 'false' } })).not.toThrow();
});
