import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RpcTarget } from '../../support/json-rpc.ts';
import { createMask, type Mask } from './create-mask.ts';
import { createPace } from './create-pace.ts';

/** What `keyslot contract` is asked for. */
export type ContractOptions = {
  readonly target: RpcTarget;
  readonly mask: Mask;
  /** Whether airdrops may be asked for and transactions sent. */
  readonly allowWrites: boolean;
  readonly json: boolean;
  readonly junitFile: string | undefined;
};

/** Reads the arguments of `keyslot contract`. @throws TypeError for what is none of them, or missing. */
export function readContractOptions(args: readonly string[]): ContractOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      apikey: { type: 'string' },
      'allow-writes': { type: 'boolean', default: false },
      rate: { type: 'string' },
      json: { type: 'boolean', default: false },
      junit: { type: 'string' },
    },
  });
  const { url, apikey, 'allow-writes': allowWrites, rate, json, junit: junitFile } = values;
  if (url === undefined) throw new TypeError('--url URL is missing: the JSON-RPC address of the server');
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new TypeError('--url is no http or https address');
  const address = new URL(url);
  if (apikey !== undefined) address.searchParams.set('apikey', apikey);
  const mask = createMask(address);
  const authorization = takeCredentials(address);
  const pace = createPace(readRate(rate), { nowMs: Date.now, pause });
  return { target: { rpcUrl: address.href, authorization, pace }, mask, allowWrites, json, junitFile };
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
