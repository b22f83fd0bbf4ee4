import { Pool } from 'undici';
import { PROBLEM_CODES } from './problem-codes.ts';
import { addCredit, command, createToken, enrol } from '../../support/wallet-account.ts';
import { hostileRequest } from '../../fuzz/hostile-requests.ts';
import { exchange } from '../../fuzz/raw-exchange.ts';
import { Corpus } from './corpus.ts';
import { chance, damaged, pick } from './damage.ts';
import { faultOfReply } from './judge-reply.ts';
import type { Protocol } from './protocol.ts';
import { type Method, walletRequest } from './wallet-requests.ts';

const ACCOUNT = 'fuzz';
const CREDIT_USD = '1000000';
const AT_ONCE = 16;
const RAW_AT_ONCE = 16;
const CONNECTIONS = 8;
/** Wallets that are signed with; others are found in answers. */
const KNOWN = 50;
/** The statuses of HTTP itself and of unknown paths. */
const OF_HTTP = new Set([
  204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 417, 422, 426, 429, 431, 501, 505,
]);

type Sent = {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** The wallet service: every operation with bodies by its schema, damaged ones, headers that fit or do not, and bytes that are no HTTP. */
export const walletsOverRest: Protocol = {
  name: 'REST of the wallet service',
  lanes: 8,
  env: { KEYSLOT_BODY_TIMEOUT_MS: '1000', KEYSLOT_KEY_THREADS: '1' },
  prepare: async ({ baseUrl, dataDir }) => {
    const { token } = await createToken(dataDir, ACCOUNT);
    await addCredit(dataDir, ACCOUNT, CREDIT_USD);
    await enrol(dataDir, ACCOUNT);
    await command(dataDir, ['wallet-limit', ACCOUNT, '--per-minute', '1000000']);
    const ids: string[] = ['w_11111111111111111111'];
    const port = Number(new URL(baseUrl).port);
    return async ({ random, count, fault }) => {
      const pool = new Pool(baseUrl, { connections: CONNECTIONS });
      const requests = new Corpus(walletRequest, random);
      const raw = new Corpus(hostileRequest('/v1/wallets'), random);

      const next = (): { sent: Sent; statuses: ReadonlySet<string> | undefined } => {
        const { method, path, headers, body, statuses } = requests.next();
        const id = chance(90, random)
          ? pick(ids, random)
          : encodeURIComponent(damaged(Buffer.from(pick(ids, random)), random).toString('latin1'));
        const json = body === undefined ? null : Buffer.from(JSON.stringify(body));
        const isDamaged = json !== null && chance(25, random);
        const all = {
          authorization: `Bearer ${token}`,
          ...(json === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        };
        const sent = {
          method,
          path: path.replace('{id}', id),
          headers: printable(all),
          body: isDamaged ? damaged(json, random) : json,
        };
        return { sent, statuses: /^[\w-]+$/.test(id) ? statuses : undefined };
      };
      const send = async (): Promise<void> => {
        const { sent, statuses } = next();
        const answer = await pool.request(sent);
        const text = await answer.body.text();
        const { statusCode: status } = answer;
        count(`${status}`);
        keepId(ids, text);
        const isAllowed =
          status < 500 && (statuses?.has(String(status)) ?? (status < 300 || OF_HTTP.has(status)));
        const wrong = isAllowed
          ? faultOfAnswer(sent.method, status, String(answer.headers['content-type']), text)
          : 'it may not answer so';
        if (wrong !== undefined) fault(`${status}, ${wrong}: ${text.slice(0, 300)} to ${shown(sent)}`);
      };
      const sendRaw = async (): Promise<void> => {
        const { bytes, ...how } = raw.next();
        const answer = await exchange(port, bytes, how);
        count(answer === '' ? 'closed' : 'answered bytes');
        if (!/^(?:HTTP\/1\.1 (?!500)[1-5]\d\d |$)/.test(answer))
          fault(`${answer.slice(0, 200)} to bytes ${bytes.toString('latin1')}`);
      };
      return {
        burst: async () => {
          await Promise.all(Array.from({ length: AT_ONCE }, send));
          if (!chance(2, random)) return AT_ONCE;
          await Promise.all(Array.from({ length: RAW_AT_ONCE }, sendRaw));
          return AT_ONCE + RAW_AT_ONCE;
        },
        close: () => pool.destroy(),
      };
    };
  },
};

/** The fault in an answer of a status that is allowed. */
function faultOfAnswer(method: string, status: number, type: string, text: string): string | undefined {
  if (status < 300 || method === 'HEAD' || text === '') return undefined;
  // A path of nobody is answered as one of JSON-RPC.
  if (status === 404 && type.startsWith('application/json')) return faultOfReply(text);
  if (!type.startsWith('application/problem+json')) return `its type is ${type}`;
  const problem: unknown = JSON.parse(text);
  if (typeof problem !== 'object' || problem === null || !('code' in problem) || !('status' in problem))
    return 'it is no problem';
  if (problem.status !== status) return 'its problem has another status';
  return PROBLEM_CODES.has(problem.code) ? undefined : 'its code is not in the catalogue';
}

/** Takes the id of a new wallet over into those that are known: the last ones. */
function keepId(ids: string[], text: string): void {
  const [, id] = /"wallet_id":"(w_\w+)"/.exec(text) ?? [];
  if (id !== undefined && ids.push(id) > KNOWN) ids.shift();
}

/** Values that a client can send at all. */
function printable(headers: Sent['headers']): Sent['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/[^ -~]/g, '?')]),
  );
}

function shown({ method, path, headers, body }: Sent): string {
  const { authorization: _secret, ...others } = headers;
  return `${method} ${path} ${JSON.stringify(others)} ${JSON.stringify(body?.toString('latin1'))}`;
}
