import { afterAll, beforeAll, expect, test } from 'vitest';
import { METHODS } from '../../generated/localnet/methods.ts';
import { eventually } from '../../src/core/eventually.ts';
import { TRACE } from '../../src/gateway/ledger/with-trace.ts';
import { encodeBase58 } from '../../src/localnet/bytes/base58.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';

let server: RunningKeyslot;

beforeAll(async () => {
  server = await startKeyslot({
    env: {
      KEYSLOT_LOCALNET_CHEAT_CODES: 'true',
      KEYSLOT_LOCALNET_GATEWAY_TRACE: 'true',
      KEYSLOT_LOCALNET_EPHEMERAL: 'true',
      KEYSLOT_LOG_LEVEL: 'info',
    },
  });
});
afterAll(() => server.stop());

async function ask(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return await response.json();
}

test('the embedded ledger of a server serves cheat codes at the address in its log, and the gateway traces alone', async () => {
  const log = (): string => server.stdout() + server.stderr();
  const url = await eventually(
    'the address is logged',
    () => log().match(/"url":"(http:\/\/127\.0\.0\.1:\d+\/)"[^\n]*serves cheat codes/)?.[1],
  );
  expect(await ask(url, 'localnet_pause')).toMatchObject({ result: { isPaused: true } });
  expect(await ask(url, 'localnet_resume')).toMatchObject({ result: { isPaused: false } });
  for (const method of Object.keys(METHODS).filter((each) => each !== TRACE))
    expect(await ask(server.rpcUrl, method)).toMatchObject({ error: { code: -32601 } });
  await ask(url, 'localnet_pause');
  const readyz = await eventually('the pause is shown', async () => {
    const answer = await fetch(`${server.baseUrl}/readyz`);
    const text = await answer.text();
    return /paused at slot|stood at slot/.test(text) ? { status: answer.status, text } : undefined;
  });
  expect(readyz.status).toBe(200);
  expect(JSON.parse(readyz.text)).toMatchObject({
    networks: [{ nodes: [{ name: 'localnet', standing: 'healthy', is_stale: false }] }],
  });
  expect(log()).not.toContain('is stale');
  const absent = encodeBase58(new Uint8Array(64).fill(7));
  expect(await ask(server.rpcUrl, TRACE, [absent])).toEqual({ jsonrpc: '2.0', result: null, id: 1 });
  expect(await ask(server.rpcUrl, TRACE)).toMatchObject({ error: { code: -32602 } });
});
