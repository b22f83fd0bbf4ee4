import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { CONFIG_SETTINGS } from '../../../generated/config.ts';
import { explainConfig } from '../../../src/core/config/explain-config.ts';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();

function write(settings: unknown): string {
  const path = join(directory(), 'keyslot.yaml');
  writeFileSync(path, stringify(settings));
  return path;
}

const pathOf = ({ path }: { readonly path: readonly (string | number)[] }): string => path.join('.');

test('names for each setting what decides it: the option, the variable, the file, or the default', () => {
  const file = write({ http: { port: 1, max_batch_items: 11 }, data_dir: 'from-file', log_level: 'warn' });
  const env = { KEYSLOT_HTTP_PORT: '2', KEYSLOT_DATA_DIR: 'from-env', KEYSLOT_WS_PORT: '' };
  const names = ['http.port', 'data_dir', 'log_level', 'http.host', 'http.ws_port'];
  expect(explainConfig({ file, env, cli: { 'http-port': '3' } }, names)).toEqual([
    { setting: 'data_dir', value: 'from-env', source: 'environment', from: 'KEYSLOT_DATA_DIR' },
    { setting: 'log_level', value: 'warn', source: 'file', from: file },
    { setting: 'http.host', value: '127.0.0.1', source: 'default', from: null },
    { setting: 'http.port', value: 3, source: 'command_line', from: '--http-port' },
    { setting: 'http.ws_port', value: null, source: 'default', from: null },
  ]);
});

test('has every setting once, with the value that a start has', () => {
  const shown = explainConfig({ env: { KEYSLOT_UPSTREAM_URL: 'http://node.example' } });
  expect(shown.map(({ setting }) => setting).toSorted()).toEqual(CONFIG_SETTINGS.map(pathOf).toSorted());
  const config: unknown = loadConfig({ env: {} });
  for (const { setting, value, source } of shown.filter((one) => one.source === 'default'))
    expect([setting, value, source]).toEqual([
      setting,
      setting.startsWith('networks.0.upstreams.0.')
        ? value
        : (setting.split('.').reduce((node, key) => (node as never)?.[key], config) ?? null),
      'default',
    ]);
});

test('items of lists have settings of their own; variables set the first', () => {
  const upstreams = [{ url: 'http://a.example', name: 'a' }, { url: 'http://b.example' }];
  const file = write({ networks: [{ upstreams }, { name: 'other' }] });
  const env = { KEYSLOT_UPSTREAM_URL: 'http://c.example' };
  const shown = explainConfig({ file, env }, ['networks']);
  const sourceOf = (setting: string) => shown.find((one) => one.setting === setting);
  expect(sourceOf('networks.0.upstreams.0.url')).toMatchObject({ from: 'KEYSLOT_UPSTREAM_URL' });
  expect(sourceOf('networks.0.upstreams.1.url')).toMatchObject({ value: '***', from: file });
  expect(sourceOf('networks.0.upstreams.1.name')).toMatchObject({ value: null, source: 'default' });
  expect(sourceOf('networks.1.upstreams')).toEqual({
    setting: 'networks.1.upstreams',
    value: [],
    source: 'default',
    from: null,
  });
  const named = explainConfig({ file, env }, ['networks[].name']).map(({ value }) => value);
  expect(named).toEqual(['solana', 'other']);
});

test('a setting is found by its path, its variable and its section', () => {
  const found = (name: string) => explainConfig({ env: {} }, [name]).map(({ setting }) => setting);
  expect(found('http.port')).toEqual(['http.port']);
  expect(found('KEYSLOT_HTTP_PORT')).toEqual(['http.port']);
  expect(found('KEYSLOT_UPSTREAM_WS_URL')).toEqual(['networks.0.upstreams']);
  expect(found('backup')).toEqual(['backup.recipients']);
  expect(found('networks.0.name')).toEqual(['networks.0.name']);
});

test.each([
  ['htp.port', 'http.port'],
  ['portt', undefined],
  ['KEYSLOT_HTP_PORT', 'KEYSLOT_HTTP_PORT'],
])('%s is no setting, and what is meant is named', (name, meant) => {
  expect(() => explainConfig({ env: {} }, [name])).toThrow(
    meant === undefined
      ? `"${name}" is not a setting`
      : new RegExp(`"${name}" is not a setting; did you mean .*${meant}`),
  );
});

const SECRET = 'Canary-5eCret';
const SECRETS = {
  database_url: `postgres://keyslot:${SECRET}@db.example/keyslot`,
  redis: { url: `rediss://:${SECRET}@redis.example:6379` },
  mail: { smtp_url: `smtps://keyslot:${SECRET}@mail.example`, from: 'keyslot@example.com' },
  tracing: { endpoint: `https://traces.example/${SECRET}`, authorization: `Bearer ${SECRET}` },
  hsm: { kind: 'pkcs11', pkcs11: { library: '/lib/token.so', token: 'keyslot', pin: SECRET } },
  networks: [
    {
      upstreams: ['a', 'b'].map((name) => ({
        name,
        url: `https://node.example/${name}/${SECRET}`,
        ws_url: `wss://node.example/?key=${SECRET}`,
      })),
    },
  ],
};

test('every secret setting is shown as ***, from whatever source, in every item of a list', () => {
  const shown = explainConfig({ file: write(SECRETS), env: {} });
  const hidden = shown.filter(({ value }) => value === '***').map(({ setting }) => setting);
  expect(hidden).toEqual(expect.arrayContaining(CONFIG_SETTINGS.filter(({ secret }) => secret).map(pathOf)));
  expect(hidden).toEqual(
    expect.arrayContaining(['networks.0.upstreams.1.url', 'networks.0.upstreams.1.ws_url']),
  );
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  for (const { env, path, secret } of CONFIG_SETTINGS) {
    if (!secret || env === undefined) continue;
    const value = path.reduce((node: unknown, key) => (node as never)?.[key], SECRETS);
    const one = explainConfig({ file: write(SECRETS), env: { [env]: String(value) } }, [env]);
    expect(one).toEqual([{ setting: path.join('.'), value: '***', source: 'environment', from: env }]);
  }
});

test.each(CONFIG_SETTINGS.filter(({ secret, type }) => !secret && (type === 'string' || type === 'array')))(
  'a login or a query in $path is never shown, if it may be there at all',
  ({ path, type }) => {
    const url = `https://keyslot:${SECRET}/x@host.example/?key=${SECRET}`;
    const value = path.reduceRight<unknown>(
      (below, key) => (key === 0 ? [below] : { [key]: below }),
      type === 'array' ? [url] : url,
    );
    let shown = '';
    try {
      shown = JSON.stringify(explainConfig({ file: write(value), env: {} }));
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalidConfig' });
    }
    expect(shown).not.toContain(SECRET);
  },
);
