import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { useCommands } from '../../cli/use-commands.ts';
import { CERT, KEY } from '../../server/self-signed.ts';
import { freePortPair } from '../../support/free-port-pair.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../../support/redis.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../../support/softhsm.ts';
import { ROOT } from '../../support/source-files.ts';

const { directory, newNode, start, atEnd } = useCommands();
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

type Ready = {
  readonly signer: unknown;
  readonly store: unknown;
  readonly networks: readonly [{ readonly nodes: readonly unknown[] }];
};

test('the sample of a fleet serves, with each thing that it names in its place', async (context) => {
  const [postgres, redis, library] = [await findPostgres(), await findRedis(), findSoftHsm()];
  if (postgres === undefined) return context.skip(POSTGRES_MISSING);
  if (redis === undefined) return context.skip(REDIS_MISSING);
  if (library === undefined) return context.skip(SOFTHSM_MISSING);
  const database = await createDatabase(postgres);
  atEnd(database.drop);
  const at = (name: string): string => join(directory(), name);
  mkdirSync(at('tls'));
  const { label, pin, configFile } = newToken(library, directory());
  const files = {
    'tls/fullchain.pem': CERT,
    'tls/privkey.pem': KEY,
    pin,
    'installation.key': 'ab'.repeat(32),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text, { mode: 0o600 });
  const [port, metricsPort] = [await freePortPair(), await freePortPair()];
  const [first, second, third] = [await newNode(), await newNode(), await newNode()];
  for (const node of [first, second, third]) node.ownAnswers.getGenesisHash = GENESIS;
  const replaced: readonly (readonly [string, string])[] = [
    ['data_dir: /var/lib/keyslot', `data_dir: ${at('data')}`],
    ['/var/log/keyslot/audit-heads.jsonl', at('audit-heads.jsonl')],
    ['/etc/keyslot/', `${directory()}/`],
    ['postgres://keyslot:CHANGE-ME@db.internal:5432/keyslot', database.url],
    ['redis://keyslot:CHANGE-ME@redis.internal:6379', redis],
    ["prefix: 'keyslot:'", `prefix: '${uniquePrefix()}'`],
    ['host: 0.0.0.0', 'host: 127.0.0.1'],
    ['port: 443\n', `port: ${port}\n`],
    ['ws_port: 444\n', `ws_port: ${port + 1}\n`],
    ['port: 50051\n', 'port: 0\n'],
    ['port: 9464\n', `port: ${metricsPort}\n`],
    ["url: 'http://10.0.0.7:8899', ws_url: 'ws://10.0.0.7:8900'", `url: '${first.url}'`],
    ["url: 'http://10.0.0.8:8899', ws_url: 'ws://10.0.0.8:8900'", `url: '${second.url}'`],
    ['https://provider.example/?key=CHANGE-ME', third.url],
    ['/usr/lib/softhsm/libsofthsm2.so', library],
    ['token: keyslot\n', `token: ${label}\n`],
  ];
  const sample = readFileSync(new URL('docs/samples/fleet.yaml', ROOT), 'utf8');
  const text = replaced.reduce((config, [from, to]) => {
    expect(config).toContain(from);
    return config.replaceAll(from, to);
  }, sample);
  writeFileSync(at('keyslot.yaml'), text, { mode: 0o600 });

  const server = start(['serve', '--json', '--config', at('keyslot.yaml')], {
    SOFTHSM2_CONF: configFile,
    KEYSLOT_DATA_DIR: '',
    KEYSLOT_HTTP_PORT: '',
    KEYSLOT_GRPC_PORT: '',
  });
  await eventually('the server says where it serves', () => {
    if (server.ended() !== undefined) throw new Error(`ended with ${server.ended()}: ${server.stderr()}`);
    return server.stdout().includes('\n') || undefined;
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    get(`https://localhost:${port}/readyz`, { ca: CERT, family: 4 }, (answer) =>
      resolve(json(answer) as never),
    ).on('error', reject);
  });
  expect(ready).toMatchObject({
    store: { kind: 'postgres', state: 'ready' },
    signer: { state: 'ready', backend: 'pkcs11' },
    networks: [{ name: 'solana', environment: 'mainnet', upstream: 'ready' }],
  });
  expect(ready.networks[0].nodes).toMatchObject([
    { name: 'rack-1' },
    { name: 'rack-2' },
    { name: 'provider' },
  ]);
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
});
