import { onTestFinished, test, expect } from 'vitest';
import { echoResult, startScriptedNode } from '../server/scripted-node.ts';
import { eventually } from '../../src/core/eventually.ts';
import { mountSmallDisk, SMALL_DISK_MISSING } from '../support/small-disk.ts';
import type { WalletServer } from '../wallets/open-wallet-server.ts';
import { startWalletServer } from '../wallets/wallet-server.ts';

/** As many rows of the audit log as fill its pages that are there. */
const MOST_CALLS = 2_000;

type Problem = { readonly code?: string; readonly fault?: string; readonly detail?: string };

async function readinessOf(server: WalletServer) {
  const response = await fetch(`${server.baseUrl}/readyz`);
  const { status, store } = (await response.json()) as { status: string; store: Record<string, string> };
  return { http: response.status, status, store };
}

test('on a full disk writes are refused as 503, reads work, and everything works again by itself when there is room', async (context) => {
  const disk = mountSmallDisk(128);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const node = await startScriptedNode(echoResult('7'));
  onTestFinished(node.close);
  const server = await startWalletServer({ parent: disk.path, env: { KEYSLOT_UPSTREAM_URL: node.url } });
  const { key } = await server.ask<{ key: string }>(['keys', 'create', '--account', 'acme', '--name', 'k']);
  const callNode = async (): Promise<unknown> => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
    const headers = { 'content-type': 'application/json' };
    const url = `${server.baseUrl}/solana-localnet?apikey=${key}`;
    return (await fetch(url, { method: 'POST', headers, body })).json();
  };
  const made = await server.send('', { custody: 'managed' });
  const { wallet_id: id } = (await made.json()) as { wallet_id: string };
  expect((await readinessOf(server)).http).toBe(200);

  disk.fill();
  const refusals: Problem[] = [];
  for (let call = 0; call < MOST_CALLS && refusals.length < 3; call += 1) {
    const answer = await server.send(`/${id}`);
    if (answer.status === 200) continue;
    expect(answer.status).toBe(503);
    refusals.push((await answer.json()) as Problem);
  }
  expect(refusals.map(({ code, fault }) => [code, fault])).toEqual(
    Array(3).fill(['store_unavailable', 'disk_full']),
  );
  const writing = [
    await server.send('', { custody: 'client' }),
    await server.send(`/${id}/sign`, { message: 'aGk=' }),
    await server.send('/batch', { count: 20, custody: 'managed' }),
  ];
  expect(writing.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
  expect(await readinessOf(server)).toMatchObject({
    http: 503,
    status: 'notReady',
    store: { state: 'storeUnavailable', reason: 'disk_full' },
  });
  expect(await callNode()).toMatchObject({ result: 7 });
  expect((await fetch(`${server.baseUrl}/v1/wallets/${id}`)).status).toBe(401);
  expect((await server.send('', '{')).status).toBe(400);

  disk.makeRoom();
  await eventually('the server is ready again', async () =>
    (await readinessOf(server)).http === 200 ? true : undefined,
  );
  expect((await server.send(`/${id}`)).status).toBe(200);
  expect((await server.send(`/${id}/sign`, { message: 'aGk=' })).status).toBe(200);
  expect(await server.ask({ kind: 'audit.verify' })).toMatchObject({ is_sound: true });
});
