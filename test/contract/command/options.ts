import { parseArgs } from 'node:util';
import type { RpcTarget } from '../../support/json-rpc.ts';

/** What `keyslot contract` is asked for. */
export type ContractOptions = {
  readonly target: RpcTarget;
  /** The address as it may be shown: without its query, where keys are. */
  readonly shownUrl: string;
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
      json: { type: 'boolean', default: false },
      junit: { type: 'string' },
    },
  });
  const { url, apikey, 'allow-writes': allowWrites, json, junit: junitFile } = values;
  if (url === undefined) throw new TypeError('--url URL is missing: the JSON-RPC address of the server');
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new TypeError('--url is no http or https address');
  const address = new URL(url);
  const shownUrl = `${address.origin}${address.pathname}`;
  if (apikey !== undefined) address.searchParams.set('apikey', apikey);
  return { target: { rpcUrl: address.href }, shownUrl, allowWrites, json, junitFile };
}
