import { afterEach, expect, test } from 'vitest';
import { compileRules, type KeyRules } from '../../src/account/identity/api-keys/key-rules.ts';
import { startScriptedNode } from './scripted-node.ts';
import { KEY, post, readReply, startGateway } from './start-gateway.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A gateway whose one key has rules, and how it answers a request with headers. */
async function start(rules: Partial<KeyRules>, isBehindProxy = false) {
  const node = await startScriptedNode();
  closing.push(node.close);
  const checkSource = compileRules({ origins: [], cidrs: [], ...rules });
  const gateway = await startGateway({
    nodeUrls: [node.url],
    isBehindProxy,
    keys: {
      find: (presented) =>
        presented === KEY ? { kind: 'valid', keyId: 'k', accountId: 'a', checkSource } : { kind: 'unknown' },
    },
  });
  closing.push(() => gateway.close());
  return async (headers: Record<string, string> = {}): Promise<unknown> => {
    const response = await post(gateway.rpcUrl, BODY, headers);
    return response.ok ? response.status : [response.status, (await readReply(response)).error.code];
  };
}

test('a key with origins is served with one of them, and refused with another one or none', async () => {
  const answer = await start({ origins: ['https://a.example', 'https://b.example'] });
  expect(await answer({ origin: 'https://b.example' })).toBe(200);
  expect(await answer({ origin: 'https://c.example' })).toEqual([403, -32067]);
  expect(await answer()).toEqual([403, -32067]);
});

test('a key with networks is served inside them only, whatever X-Forwarded-For says', async () => {
  const inside = await start({ cidrs: ['127.0.0.0/8'] });
  expect(await inside({ 'x-forwarded-for': '203.0.113.9' })).toBe(200);
  const outside = await start({ cidrs: ['203.0.113.0/24'] });
  expect(await outside({ 'x-forwarded-for': '203.0.113.9' })).toEqual([403, -32068]);
});

test.each([
  ['203.0.113.9', 200],
  ['198.51.100.1, 203.0.113.9', 200],
  ['203.0.113.9, 198.51.100.1', [403, -32068]],
  ['203.0.113.9:4711, ', 200],
  ['unknown', [403, -32068]],
])(
  'behind a proxy the last address of X-Forwarded-For that is no proxy counts: %s',
  async (forwarded, expected) => {
    const answer = await start({ cidrs: ['203.0.113.0/24'] }, true);
    expect(await answer({ 'x-forwarded-for': forwarded })).toEqual(expected);
  },
);

test('behind a proxy a request without X-Forwarded-For comes from nowhere', async () => {
  const answer = await start({ cidrs: ['127.0.0.0/8'] }, true);
  expect(await answer()).toEqual([403, -32068]);
});
