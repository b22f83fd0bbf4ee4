import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached the node. */
export type SeenRequest = {
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
};

/** Answers one request; `attempt` counts from 1. */
export type Script = (response: ServerResponse, seen: SeenRequest, attempt: number) => void;

export type ScriptedNode = {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Emptied when a connection was closed before its answer had ended. */
  readonly left: Promise<void>;
  /** Results of what the gateway asks on its own account, by method; others are not found. From the start: its slot. */
  readonly ownAnswers: Record<string, unknown>;
  play: (script: Script) => void;
  close: () => Promise<void>;
};

/** The gateway's calls on its own account, to know its nodes: no script sees them. */
const OWN_CALL = /^\{"jsonrpc":"2\.0","id":"keyslot","method":"(\w+)"/;
const NOT_FOUND = { error: { code: -32601, message: 'Method not found' } };

function answerOwn(response: ServerResponse, result: unknown): void {
  const answer = result === undefined ? NOT_FOUND : { result };
  sendJson(response, JSON.stringify({ jsonrpc: '2.0', ...answer, id: 'keyslot' }));
}

/** A ledger node on loopback that answers by a script, and remembers what reached it. */
export async function startScriptedNode(first: Script = echoResult('1')): Promise<ScriptedNode> {
  const seen: SeenRequest[] = [];
  const ownAnswers: Record<string, unknown> = { getSlot: 1_000 };
  const left = Promise.withResolvers<void>();
  let script = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.once('close', () => {
      if (!response.writableFinished) left.resolve();
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const entry = { url, headers, body: Buffer.concat(chunks).toString() };
      const [, own = ''] = OWN_CALL.exec(entry.body) ?? [];
      if (own !== '') return answerOwn(response, ownAnswers[own]);
      seen.push(entry);
      script(response, entry, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rpc?token=node-secret`,
    seen,
    left: left.promise,
    ownAnswers,
    play: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers as JSON with a body as it stands. */
export function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

const ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/g;

/** Answers every call, alone or in a batch, with this result (JSON text) under the call's own id; a notification with an empty body. */
export function echoResult(result: string): Script {
  return (response, { body }) => {
    const replies = [...body.matchAll(ID)].map(([, id]) => `{"jsonrpc":"2.0","result":${result},"id":${id}}`);
    if (body.startsWith('[')) sendJson(response, `[${replies.join()}]`);
    else sendJson(response, replies.length === 0 ? '' : `${replies[0]}\n`);
  };
}
