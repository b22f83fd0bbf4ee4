import { expect, test } from 'vitest';
import { startKeyslot } from '../support/keyslot.ts';

const PRELOADED = new URL('note-node-http.ts', import.meta.url).href;

/** Which POST requests node:http has read and sent, after a client has sent a simple call. */
async function postsOfNodeHttp(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const server = await startKeyslot({ env: { ...settings, NODE_OPTIONS: `--import=${PRELOADED}` } });
  try {
    const body = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server.rpcUrl, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ result: expect.any(Number) });
    expect(server.stderr()).toContain('node:http reads GET');
    return [...new Set(server.stderr().match(/node:http \w+ POST/g))].sort();
  } finally {
    await server.stop();
  }
}

test.each([
  [{}, []],
  [{ KEYSLOT_HTTP_OWN_PARSER: 'false' }, ['node:http reads POST']],
  [{ KEYSLOT_UPSTREAM_OWN_CLIENT: 'false' }, ['node:http sends POST']],
])('with %j node:http reads and sends of simple calls: %j', async (settings, posts) => {
  expect(await postsOfNodeHttp(settings)).toEqual(posts);
});
