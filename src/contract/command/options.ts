import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RpcTarget } from '../json-rpc.ts';
import type { SocketTarget } from '../subscriptions/contract-socket.ts';
import { createMask, type Mask } from './create-mask.ts';
import { createPace } from './create-pace.ts';
import type { StreamTarget } from '../streams/stream-target.ts';
import type { AccountTarget } from './run-account.ts';
import type { WalletTarget } from './run-wallets.ts';

/** What `keyslot contract` is asked for. */
export type ContractOptions = {
  /** Undefined: the ledger's methods are not asked for. */
  readonly ledger: RpcTarget | undefined;
  /** Undefined: subscriptions are not asked for. */
  readonly sockets: SocketTarget | undefined;
  /** Undefined: the wallet service is not asked. */
  readonly wallets: WalletTarget | undefined;
  /** Undefined: the account service is not asked. */
  readonly account: AccountTarget | undefined;
  /** Undefined: the stream service is not asked. */
  readonly streams: StreamTarget | undefined;
  readonly mask: Mask;
  /** Whether airdrops may be asked for, transactions sent, wallets made and destroyed, and keys and tokens made and revoked. */
  readonly allowWrites: boolean;
  readonly json: boolean;
  readonly junitFile: string | undefined;
};

/** What is secret, and better not given on the command line, which other users of a machine can list. */
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

/**
 * Reads the arguments of `keyslot contract`. With a token or a session and no API key only the services that take
 * it are asked, with --grpc and no --url
 * the stream service alone.
 * @throws TypeError for what is none of them, or missing.
 */
export function readContractOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ContractOptions {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { grpc, 'allow-writes': allowWrites, rate, json, junit: junitFile } = values;
  const url = values.url ?? grpc;
  if (url === undefined) throw new TypeError('--url URL is missing: the JSON-RPC address of the server');
  if (!isWebAddress(url)) throw new TypeError('--url is no http or https address');
  if (grpc !== undefined && !isWebAddress(grpc)) throw new TypeError('--grpc is no http or https address');
  const secret = (name: keyof typeof FROM_ENVIRONMENT): string | undefined =>
    values[name] ?? (env[FROM_ENVIRONMENT[name]] || undefined);
  const [apikey, token, totp] = [secret('apikey'), secret('token'), secret('totp')];
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError('--token is no token');
  const session = secret('session');
  if (session !== undefined && !/^[\w-]+$/.test(session)) throw new TypeError('--session is no session');
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
  const pace = createPace(readRate(rate), { nowMs: Date.now, pause });
  const hasUrl = values.url !== undefined;
  const isLedger = hasUrl && ((token ?? session) === undefined || address.searchParams.has('apikey'));
  if (socketAddress && !isLedger)
    throw new TypeError('--ws needs --url, and --apikey beside --token or --session');
  return {
    ledger: isLedger ? { rpcUrl: address.href, authorization, pace } : undefined,
    sockets: socketAddress && {
      wsUrl: socketAddress.href,
      authorization: socketAuthorization,
      pace,
    },
    wallets: token === undefined || !hasUrl ? undefined : { baseUrl: besides(address), token, totp, pace },
    account:
      (token ?? session) === undefined || !hasUrl
        ? undefined
        : { baseUrl: besides(address), token, session, isRequired: values.account, pace },
    streams: grpc === undefined ? undefined : { grpcUrl: grpc, apiKey: keyIn(address), token },
    ...{ mask, allowWrites, json, junitFile },
  };
}

/** Where WebSocket is: at the JSON-RPC address, unless told otherwise. */
function socketOf(address: URL, text: string | undefined): URL {
  if (text !== undefined && (!URL.canParse(text) || !/^wss?:/.test(text)))
    throw new TypeError('--ws-url is no ws or wss address');
  return new URL(text ?? address.href.replace(/^http/, 'ws'));
}

/** What is secret of the WebSocket address is hidden too. */
function maskBoth(mask: Mask, address: URL | undefined): Mask {
  if (address === undefined) return mask;
  const { hide } = createMask(address);
  return { ...mask, hide: (text) => hide(mask.hide(text)) };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text);
}

/** The key may stand in the address. */
function keyIn(address: URL): string | undefined {
  return address.searchParams.get('apikey') ?? undefined;
}

/** Where `/v1` is: the JSON-RPC path is one segment below the server's address (interface.md, section 4). */
function besides(address: URL): string {
  const { origin, pathname } = new URL('.', address);
  return `${origin}${pathname}`.replace(/\/$/, '');
}

/** HTTP Basic of a user and password in an address, which fetch does not take there. */
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
  throw new TypeError('--rate is no number of calls per second, such as 10 or 0.5');
}
