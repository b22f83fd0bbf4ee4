import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { expect } from 'vitest';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';

/** A server of its own process before a scripted node, with kept connections to it. */
export type OpenServer = {
  readonly node: ScriptedNode;
  readonly keyslot: RunningKeyslot;
  readonly pool: Pool;
  /** Path and query of the JSON-RPC address. */
  readonly target: string;
  readonly close: () => Promise<void>;
};

/** Starts `keyslot serve` before a node of the test's own. */
export async function openServer(env: Readonly<Record<string, string>> = {}): Promise<OpenServer> {
  const node = await startScriptedNode();
  const keyslot = await startKeyslot({ env: { KEYSLOT_UPSTREAM_URL: node.url, ...env } });
  const pool = new Pool(keyslot.baseUrl, { connections: 16 });
  const { pathname, search } = new URL(keyslot.rpcUrl);
  const close = async (): Promise<void> => {
    await pool.destroy();
    await keyslot.stop();
    await node.close();
  };
  return { node, keyslot, pool, target: `${pathname}${search}`, close };
}

export type Posted = { readonly status: number; readonly text: string };

/** POSTs a body as JSON over one of the kept connections. */
export async function postBody({ pool, target }: OpenServer, body: string | Buffer): Promise<Posted> {
  const headers = { 'content-type': 'application/json' };
  const answer = await pool.request({ path: target, method: 'POST', headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Expects that a client that does nothing wrong gets its own answer, exactly. */
export async function expectUnharmed(server: OpenServer, id: number): Promise<void> {
  const call = `{"jsonrpc":"2.0","id":${id},"method":"getTransactionCount"}`;
  const answer = await postBody(server, call);
  expect(answer).toEqual({ status: 200, text: `{"jsonrpc":"2.0","result":1,"id":${id}}\n` });
}

const USED = /^nodejs_(?:heap_size_used|external_memory)_bytes (\d+)$/gm;

/** Makes a server listen for the inspector, on a port of its own. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Heap and buffers that an inspected server has in use, the embedded store's apart, in bytes: after a collection, so that garbage does not count. */
export async function usedBytes({ keyslot }: Pick<OpenServer, 'keyslot'>): Promise<number> {
  await collectGarbage(keyslot);
  const metrics = await (await fetch(`${keyslot.baseUrl}/metrics`)).text();
  const values = [...metrics.matchAll(USED)].map(([, value]) => Number(value));
  expect(values).toHaveLength(2);
  return values.reduce((sum, value) => sum + value, 0);
}

/** By the inspector protocol, since a process cannot be asked for it otherwise. Twice: what is finalized by the first is freed by the second. */
async function collectGarbage({ stderr }: RunningKeyslot): Promise<void> {
  const [, address = ''] = /Debugger listening on (ws:\S+)/.exec(stderr()) ?? [];
  const inspector = new WebSocket(address);
  await once(inspector, 'open');
  for (const id of [1, 2]) {
    const collected = once(inspector, 'message');
    inspector.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    await collected;
  }
  const closed = once(inspector, 'close');
  inspector.close();
  await closed;
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** The most resident memory of a process while something runs, in bytes; looked at every 10 ms. */
export async function peakDuring(pid: number, run: () => Promise<void>): Promise<number> {
  let peak = residentBytes(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, 10);
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, residentBytes(pid));
}
