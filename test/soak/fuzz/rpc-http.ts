import { Pool } from 'undici';
import { hostileBody } from '../../fuzz/hostile-bodies.ts';
import { hostileRequest } from '../../fuzz/hostile-requests.ts';
import { exchange } from '../../fuzz/raw-exchange.ts';
import { randomCall } from '../../server/differential/random-calls.ts';
import { Corpus } from './corpus.ts';
import { chance, damaged, pick } from './damage.ts';
import { faultOfReply } from './judge-reply.ts';
import { readLedgerValues } from './ledger-values.ts';
import type { Protocol } from './protocol.ts';

const AT_ONCE = 32;
/** Most of these wait for a deadline of the server. */
const RAW_AT_ONCE = 16;
const PIPELINED = 4;
const CONNECTIONS = 2;
const BATCH = 6;
/** The statuses that a JSON-RPC address may answer: no failure of the server (500), and none of the node behind it (502, 504). */
const ALLOWED = new Set([200, 204, 400, 401, 403, 404, 405, 408, 413, 415, 417, 426, 429, 431, 503, 505]);
const TYPES = [
  ...[
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'text/plain',
    'application/JSON',
  ],
  ...['application/json;;', 'multipart/form-data', 'application/json-rpc', 'x'],
];
const METHODS = ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const;
const PATHS = [
  '/',
  '/readyz',
  '/docs',
  '/v1/openapi.json',
  '/%00',
  '/..%2f..',
  '/solana-mainnet',
  '//',
  '/solana-localnet/x',
];

type Request = {
  readonly method: 'POST' | (typeof METHODS)[number];
  readonly path: string;
  readonly type: string;
  readonly body: Buffer | null;
};

/** JSON-RPC over HTTP: calls of every method, right, a little wrong and damaged, in kept connections with pipelining, and bytes that are no HTTP. */
export const rpcOverHttp: Protocol = {
  name: 'JSON-RPC over HTTP',
  lanes: 8,
  env: { KEYSLOT_BODY_TIMEOUT_MS: '1000' },
  prepare: async ({ baseUrl, rpcUrl }) => {
    const values = await readLedgerValues(rpcUrl);
    const { pathname, search, port } = new URL(rpcUrl);
    const target = `${pathname}${search}`;
    return async ({ random, count, fault }) => {
      const pool = new Pool(baseUrl, { connections: CONNECTIONS, pipelining: PIPELINED });
      const calls = new Corpus(randomCall(values), random);
      const hostile = new Corpus(hostileBody, random);
      const raw = new Corpus(hostileRequest(target), random);

      const nextBody = (): Buffer => {
        if (chance(20, random)) return hostile.next();
        const text = chance(15, random)
          ? `[${Array.from({ length: 1 + random(BATCH) }, () => calls.next()).join()}]`
          : calls.next();
        return chance(40, random) ? damaged(Buffer.from(text), random) : Buffer.from(text);
      };
      const nextRequest = (): Request => {
        const usual = { method: 'POST', path: target, type: 'application/json', body: nextBody() } as const;
        if (chance(90, random)) return usual;
        if (chance(40, random)) return { ...usual, type: pick(TYPES, random) };
        if (chance(50, random)) return { ...usual, path: printable(damaged(Buffer.from(target), random)) };
        return { ...usual, method: pick(METHODS, random), path: pick(PATHS, random), body: null };
      };
      const send = async (request: Request): Promise<void> => {
        const { method, path, type, body } = request;
        const answer = await pool.request({
          method,
          path,
          body,
          headers: { 'content-type': type },
          idempotent: true,
        });
        const text = await answer.body.text();
        count(`${answer.statusCode}`);
        const isRpc = method === 'POST' && text !== '';
        const wrong = isRpc && path === target ? faultOfReply(text) : undefined;
        if (!ALLOWED.has(answer.statusCode) || wrong !== undefined)
          fault(`${answer.statusCode} ${wrong ?? text.slice(0, 200)} to ${shown(request)}`);
      };
      const sendRaw = async (): Promise<void> => {
        const { bytes, ...how } = raw.next();
        const answer = await exchange(Number(port), bytes, how);
        count(answer === '' ? 'closed' : 'answered bytes');
        if (!/^(?:HTTP\/1\.1 (?!500)[1-5]\d\d |$)/.test(answer))
          fault(`${answer.slice(0, 200)} to bytes ${bytes.toString('latin1')}`);
      };
      return {
        burst: async () => {
          await Promise.all(Array.from({ length: AT_ONCE }, () => send(nextRequest())));
          if (!chance(2, random)) return AT_ONCE;
          await Promise.all(Array.from({ length: RAW_AT_ONCE }, sendRaw));
          return AT_ONCE + RAW_AT_ONCE;
        },
        close: () => pool.destroy(),
      };
    };
  },
};

/** A path that a client can send at all. */
function printable(bytes: Buffer): string {
  return `/${bytes
    .toString('latin1')
    .replace(/^\//, '')
    .replace(/[^!-~]/g, '%7f')}`;
}

function shown({ method, path, type, body }: Request): string {
  return `${method} ${path.replace(/apikey=.*/, 'apikey=…')} ${type} ${JSON.stringify(body?.toString('latin1'))}`;
}
