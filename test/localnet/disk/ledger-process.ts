import { eventually } from '../../../src/core/eventually.ts';
import { parseJson } from '../../../src/core/rpc/json.ts';
import { freePortPair } from '../../support/free-port-pair.ts';
import { type NodeProcess, startNode } from '../../support/node-process.ts';

/** Calls a method of the ledger and answers its result; an error is thrown with its message. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** `keyslot localnet` in a process of its own. */
export type LedgerProcess = {
  readonly node: NodeProcess;
  readonly url: string;
  readonly ask: Ask;
  /** Ends it with SIGKILL, whatever it is doing. */
  readonly kill: () => Promise<void>;
};

/** Starts a ledger in a process with more flags of the command, and waits until it answers. */
export async function startLedgerProcess(...flags: readonly string[]): Promise<LedgerProcess> {
  return await startLedgerOf('src/main.ts', ...flags);
}

/** The same by the program of another checkout. */
export async function startLedgerOf(main: string, ...flags: readonly string[]): Promise<LedgerProcess> {
  const port = await freePortPair();
  const node = startNode([main, 'localnet', '--rpc-port', String(port), ...flags], {});
  const url = `http://127.0.0.1:${port}`;
  const ask: Ask = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    const reply = parseJson(await response.text()) as { result?: unknown; error?: { message: string } };
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  };
  await eventually('it answers', () => ask('getHealth').catch(() => node.ended()));
  const kill = async (): Promise<void> => {
    process.kill(node.pid, 'SIGKILL');
    await eventually('it has ended', () => node.ended());
  };
  return { node, url, ask, kill };
}
