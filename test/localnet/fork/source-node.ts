import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { startRpcServer } from '../../../src/localnet/serve-ledger.ts';
import type { Fork } from '../../../src/localnet/fork/fork.ts';
import { openFork } from '../../../src/localnet/fork/open-fork.ts';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { type CheatLedger, newCheatLedger } from '../cheats/new-cheat-ledger.ts';

/** The answer of a node in place of its ledger's. */
export type Fault = (call: {
  readonly method: string;
  readonly params: readonly unknown[];
}) => { readonly status: number; readonly body: string } | undefined;

/** A ledger to fork from, behind a node that counts its calls. */
export type SourceNode = CheatLedger & {
  /** With a key in its path and another in its query. */
  readonly url: string;
  readonly host: string;
  /** The methods that were called, in order. */
  readonly calls: string[];
  /** From now on it answers so where the function says so. */
  readonly failBy: (fault: Fault) => void;
};

export const KEY = 'topsecretkey';

export async function sourceNode(options: Partial<LedgerOptions> = {}): Promise<SourceNode> {
  const source = newCheatLedger(options);
  const server = await startRpcServer(source.ledger, { host: '127.0.0.1', port: 0 });
  const calls: string[] = [];
  let fault: Fault = () => undefined;
  const proxy = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const call = JSON.parse(body.toString()) as Parameters<Fault>[0];
      calls.push(call.method);
      const headers = { 'content-type': 'application/json' };
      const failure = fault(call);
      if (failure !== undefined) {
        response.writeHead(failure.status, headers).end(failure.body);
        return;
      }
      const answer = await fetch(`http://127.0.0.1:${server.port}`, { method: 'POST', headers, body });
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server.close(1_000);
  });
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    ...source,
    host,
    url: `http://${host}/v2/${KEY}/?api-key=${KEY}2`,
    calls,
    failBy: (given) => {
      fault = given;
    },
  };
}

/** A fork and its ledger. */
export type Forked = CheatLedger & { readonly fork: Fork; readonly warnings: readonly string[] };

/** A ledger that forks a node, a cassette, or both. */
export async function forked(
  given: { readonly url?: string; readonly cassette?: string },
  options: Partial<LedgerOptions> = {},
): Promise<Forked> {
  const warnings: string[] = [];
  const fork = await openFork({
    given: { url: given.url, cassette: given.cassette },
    stored: undefined,
    warn: (text) => warnings.push(text),
  });
  if (fork === undefined) throw new Error('nothing to fork');
  return { ...newCheatLedger({ ...options, fork }), fork, warnings };
}
