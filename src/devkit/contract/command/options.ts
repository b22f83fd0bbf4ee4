import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OPERATIONS } from '../../../../generated/account/operations.ts';
import { type DevelopmentFile, readDevelopmentFile } from '../../../account/setup/development-file.ts';
import { type Pace, type RpcTarget, type Answer, RateLimited } from '../json-rpc.ts';
import type { SocketTarget } from '../subscriptions/contract-socket.ts';
import type { StreamTarget } from '../streams/stream-target.ts';
import type { AccountTarget } from './run-account.ts';
import type { WalletTarget } from './run-wallets.ts';

/** The options of `keyslot contract`. */
export type ContractOptions = {
  /** Undefined: the ledger's methods are not checked. */
  readonly ledger: RpcTarget | undefined;
  /** Undefined: subscriptions are not checked. */
  readonly sockets: SocketTarget | undefined;
  /** Undefined: the wallet service is not checked. */
  readonly wallets: WalletTarget | undefined;
  /** Undefined: the account service is not checked. */
  readonly account: AccountTarget | undefined;
  /** Undefined: the stream service is not checked. */
  readonly streams: StreamTarget | undefined;
  readonly mask: Mask;
  /** True if the run may request airdrops, send transactions, create and destroy wallets, and create and revoke keys and tokens. */
  readonly allowWrites: boolean;
  readonly json: boolean;
  readonly junitFile: string | undefined;
};

/** Secrets that should not be given on the command line, because other users of the machine can list it. */
const FROM_ENVIRONMENT = {
  apikey: 'KEYSLOT_CONTRACT_APIKEY',
  token: 'KEYSLOT_CONTRACT_TOKEN',
  totp: 'KEYSLOT_CONTRACT_TOTP',
  session: 'KEYSLOT_CONTRACT_SESSION',
} as const;

const OPTIONS = {
  url: { type: 'string' },
  grpc: { type: 'string' },
  apikey: { type: 'string' },
  token: { type: 'string' },
  totp: { type: 'string' },
  session: { type: 'string' },
  account: { type: 'boolean', default: false },
  ws: { type: 'boolean', default: false },
  'ws-url': { type: 'string' },
  'allow-writes': { type: 'boolean', default: false },
  rate: { type: 'string' },
  json: { type: 'boolean', default: false },
  junit: { type: 'string' },
} as const;

/** The input of a run: its arguments, with secrets from the environment. */
export type Given = {
  readonly values: ReturnType<typeof parse>['values'];
  readonly secrets: Readonly<Partial<Record<keyof typeof FROM_ENVIRONMENT, string | undefined>>>;
};

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS });

/** Reads the arguments of `keyslot contract`. @throws TypeError for an unknown one. */
export function readGiven(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Given {
  const { values } = parse(args);
  const secret = (name: keyof typeof FROM_ENVIRONMENT): string | undefined =>
    values[name] ?? (env[FROM_ENVIRONMENT[name]] || undefined);
  const [apikey, token, totp, session] = [
    secret('apikey'),
    secret('token'),
    secret('totp'),
    secret('session'),
  ];
  return { values, secrets: { apikey, token, totp, session } };
}

/** A run against the development server of this machine, as its account, until `signOut`. */
export type Development = { readonly given: Given; readonly signOut: () => Promise<void> };

type Opening = {
  /** Folder with dev.json. */
  readonly dataDir: string;
  readonly tell: (line: string) => void;
};

/**
 * Takes the credentials of dev.json, and signs in with its password, if none are given and the URL is that of the server which wrote the
 * file. Only at a loopback address: nothing is sent to another machine.
 */
export async function openDevelopment(given: Given, { dataDir, tell }: Opening): Promise<Development> {
  const unchanged = { given, signOut: async () => undefined };
  const { url } = given.values;
  if (url === undefined || !URL.canParse(url) || Object.values(given.secrets).some(Boolean)) return unchanged;
  const address = new URL(url);
  const known = await readDevelopmentFile(dataDir);
  const { base_url: baseUrl, api_key: apikey, access_token: token, totp_secret: totp } = known;
  if (address.searchParams.has('apikey') || baseUrl === undefined || !isSameServer(address, baseUrl))
    return unchanged;
  const session = await signIn(baseUrl, known);
  if (session === 'refused') return unchanged;
  if (address.pathname === '/') address.pathname = known.rpc_path ?? '/';
  tell(`contract: using the credentials of dev.json in ${dataDir}`);
  return {
    given: {
      values: { ...given.values, url: address.href },
      secrets: { apikey, token, totp, session },
    },
    signOut: async () => {
      if (session !== undefined)
        await ask(baseUrl, OPERATIONS.signOut, { headers: { cookie: cookieOf(session) } });
    },
  };
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

function isSameServer(asked: URL, baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const known = new URL(baseUrl);
  return [asked, known].every(({ hostname }) => LOOPBACK.test(hostname)) && asked.port === known.port;
}

const COOKIE = 'keyslot_session';
const cookieOf = (session: string): string => `${COOKIE}=${session}`;

/** `refused`: it is another server. Undefined: the file has no password, because it was changed. */
async function signIn(
  baseUrl: string,
  { dashboard_email: email, dashboard_password: password }: Partial<DevelopmentFile>,
): Promise<string | undefined> {
  if (email === undefined || password === undefined) return undefined;
  const { status, headers } = await ask(baseUrl, OPERATIONS.signIn, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const set = headers.getSetCookie().find((each) => each.startsWith(`${COOKIE}=`));
  return status === 201 ? /=([^;]*)/.exec(set ?? '')?.[1] : 'refused';
}

function ask(baseUrl: string, { method, path }: { method: string; path: string }, init: RequestInit) {
  return fetch(`${baseUrl}${path}`, { ...init, method, signal: AbortSignal.timeout(10_000) });
}

/**
 * With a token or a session but no API key, only the services that take it are checked; with --grpc but no --url, only the stream service.
 * @throws TypeError for an invalid or missing option.
 */
export function readContractOptions({ values, secrets }: Given): ContractOptions {
  const { grpc, 'allow-writes': allowWrites, rate, json, junit: junitFile } = values;
  const url = values.url ?? grpc;
  if (url === undefined) throw new TypeError('missing --url URL, the JSON-RPC address of the server');
  if (!isWebAddress(url)) throw new TypeError('--url must be an http or https address');
  if (grpc !== undefined && !isWebAddress(grpc))
    throw new TypeError('--grpc must be an http or https address');
  const { apikey, token, totp, session } = secrets;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('--token is not a valid token');
  if (session !== undefined && !/^[\w-]+$/.test(session))
    throw new TypeError('--session is not a valid session');
  if (values.account && (token ?? session) === undefined)
    throw new TypeError('--account needs --token or --session');
  if (totp !== undefined && token === undefined) throw new TypeError('--totp needs --token');
  const address = new URL(url);
  if (apikey !== undefined) address.searchParams.set('apikey', apikey);
  const socketAddress =
    values.ws || values['ws-url'] !== undefined ? socketOf(address, values['ws-url']) : undefined;
  if (apikey !== undefined) socketAddress?.searchParams.set('apikey', apikey);
  const mask = maskBoth(createMask(address, [token ?? '', totp ?? '', session ?? '']), socketAddress);
  const authorization = takeCredentials(address);
  const socketAuthorization = socketAddress && takeCredentials(socketAddress);
  const limited = createPace(readRate(rate), { nowMs: Date.now, pause });
  // A 429 of one service does not delay the others, unless all share a rate.
  const ownPace = (): Pace =>
    rate === undefined ? createPace(undefined, { nowMs: Date.now, pause }) : limited;
  const pace = ownPace();
  const hasUrl = values.url !== undefined;
  const isLedger = hasUrl && ((token ?? session) === undefined || address.searchParams.has('apikey'));
  if (socketAddress && !isLedger)
    throw new TypeError('--ws needs --url, and with --token or --session also --apikey');
  return {
    ledger: isLedger ? { rpcUrl: address.href, authorization, pace } : undefined,
    sockets: socketAddress && {
      wsUrl: socketAddress.href,
      authorization: socketAuthorization,
      pace,
    },
    wallets:
      token === undefined || !hasUrl
        ? undefined
        : { baseUrl: besides(address), token, totp, pace: ownPace() },
    account:
      (token ?? session) === undefined || !hasUrl
        ? undefined
        : { baseUrl: besides(address), token, session, isRequired: values.account, pace: ownPace() },
    streams: grpc === undefined ? undefined : { grpcUrl: grpc, apiKey: keyIn(address), token },
    mask,
    allowWrites,
    json,
    junitFile,
  };
}

/** The WebSocket address: by default that of JSON-RPC. */
function socketOf(address: URL, text: string | undefined): URL {
  if (text !== undefined && (!URL.canParse(text) || !/^wss?:/.test(text)))
    throw new TypeError('--ws-url must be a ws or wss address');
  return new URL(text ?? address.href.replace(/^http/, 'ws'));
}

/** Hides the secrets of the WebSocket address as well. */
function maskBoth(mask: Mask, address: URL | undefined): Mask {
  if (address === undefined) return mask;
  const { hide } = createMask(address);
  return { ...mask, hide: (text) => hide(mask.hide(text)) };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text);
}

/** The API key may be part of the address. */
function keyIn(address: URL): string | undefined {
  return address.searchParams.get('apikey') ?? undefined;
}

/** The base of `/v1`: the JSON-RPC path is one segment below the server's address (interface.md, section 4). */
function besides(address: URL): string {
  const { origin, pathname } = new URL('.', address);
  return `${origin}${pathname}`.replace(/\/$/, '');
}

/** Turns the user and password of an address into HTTP Basic, because fetch rejects them in an address. */
function takeCredentials(address: URL): string | undefined {
  const { username, password } = address;
  if (username === '' && password === '') return undefined;
  address.username = '';
  address.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && rate > 0) return rate;
  throw new TypeError('--rate must be a number of calls per second, such as 10 or 0.5');
}

/** A part of an address with this many characters may be a key: providers put keys into the path. */
const KEY_CHARACTERS = 20;
const SHOWN = '…';

export type Mask = {
  /** The address as it may be shown: without query and credentials, and without what may be a key in its path. */
  readonly shownUrl: string;
  /** Removes secrets of the address and control characters from a text of the server, which may quote the request. */
  readonly hide: (text: string) => string;
};

/** Masks the address of a server for reports, and hides other secrets, such as a token. */
export function createMask(address: URL, others: readonly string[] = []): Mask {
  const segments = address.pathname.split('/');
  const isKey = (text: string): boolean => text.length >= KEY_CHARACTERS;
  const path = segments.map((segment) => (isKey(segment) ? SHOWN : segment)).join('/');
  const values = [...address.searchParams].flatMap(([name, value]) =>
    name === 'apikey' || isKey(value) || /key|token|secret/i.test(name) ? [value] : [],
  );
  const credentials = [address.username, address.password, ...segments.filter(isKey)];
  const plain = [...values, ...credentials, ...others, address.search].filter((text) => text !== '');
  const secrets = [...new Set(plain.flatMap((text) => [text, decode(text), encodeURIComponent(text)]))].sort(
    (a, b) => b.length - a.length,
  );
  return {
    shownUrl: `${address.origin}${path}`,
    hide: (text) =>
      secrets.reduce((shown, secret) => shown.replaceAll(secret, SHOWN), text).replace(/\p{Cc}/gu, '\uFFFD'),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The clock of a pace. */
type PaceClock = { readonly nowMs: () => number; readonly pause: (ms: number) => Promise<unknown> };

/** Most attempts of one call. */
const ATTEMPTS = 8;
/** A server that asks for a longer wait has refused the run. */
const MAX_WAIT_MS = 60_000;
/** The longest time that a run waits for a server that answers only 429. */
const PATIENCE_MS = 120_000;
/** The wait after a 429 without Retry-After. */
const USUAL_WAIT_MS = 1_000;

/**
 * Sends the calls of a run at the speed of its server: at `ratePerSecond` if given, and after a 429 not before the time in its Retry-After
 * (RFC 9110, section 10.2.3). A call that keeps being refused ends in RateLimited.
 */
export function createPace(ratePerSecond: number | undefined, { nowMs, pause }: PaceClock): Pace {
  const gapMs = ratePerSecond === undefined ? 0 : 1_000 / ratePerSecond;
  let nextMs = 0;
  let waitedMs = 0;
  const takeTurn = async (): Promise<void> => {
    for (;;) {
      const dueMs = nextMs - nowMs();
      if (dueMs <= 0) break;
      await pause(dueMs);
    }
    nextMs = nowMs() + gapMs;
  };
  const send = async (call: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      await takeTurn();
      const answer = await call();
      if (answer.status !== 429) {
        waitedMs = 0;
        return answer;
      }
      const waitMs = retryAfterMs(answer.retryAfter, nowMs());
      if (attempt === ATTEMPTS || waitMs > MAX_WAIT_MS || waitedMs + waitMs > PATIENCE_MS)
        throw new RateLimited(answer);
      const untilMs = nowMs() + waitMs;
      if (untilMs > nextMs) waitedMs += untilMs - Math.max(nextMs, nowMs());
      nextMs = Math.max(nextMs, untilMs);
    }
  };
  return send;
}

/** Seconds, or a date. */
function retryAfterMs(text: string | null, nowMs: number): number {
  if (text === null) return USUAL_WAIT_MS;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? USUAL_WAIT_MS : Math.max(0, dateMs - nowMs);
}
