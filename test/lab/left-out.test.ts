import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { leftOut } from '../../src/lab/gateways/lab-config.ts';

const NODE = 'http://127.0.0.1:1';
const SHARED = {
  KEYSLOT_UPSTREAM_URL: NODE,
  KEYSLOT_DATABASE_URL: 'postgres://keyslot@127.0.0.1/keyslot',
  KEYSLOT_REDIS_URL: 'redis://127.0.0.1:6379',
};

test.each([
  ['one gateway with an embedded store', { KEYSLOT_UPSTREAM_URL: NODE }, {}, []],
  ['what is given to the lab', SHARED, { hasDatabase: true, hasRedis: true }, []],
  ['PostgreSQL and Redis', SHARED, {}, ['no PostgreSQL was given', 'no Redis was given']],
  [
    'workers',
    { ...SHARED, KEYSLOT_WORKERS: '4' },
    { hasDatabase: true, hasRedis: true },
    ['one process, not 4 workers'],
  ],
])('a report says what of the configuration was not tried: %s', (_name, env, given, sentences) => {
  const config = loadConfig({ file: undefined, env, cli: {} });
  const found = leftOut(config, { hasDatabase: false, hasRedis: false, ...given });
  expect(found).toEqual(sentences.map((sentence) => expect.stringContaining(sentence)));
});
