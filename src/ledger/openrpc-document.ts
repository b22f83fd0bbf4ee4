import { readDocument } from '../../generated/runtime/read-document.ts';
import { stringifyJson } from '../rpc/json.ts';

const PATH = new URL('../../generated/ledger/openrpc.json', import.meta.url);
const PLACE = '\u0000servers';

type Document = {
  readonly before: string;
  readonly after: string;
  /** As they were generated, with the address to be filled in. */
  readonly servers: string;
};

let document: Document | undefined;

/**
 * The OpenRPC document of the ledger as JSON text. What `rpc.discover` and `/openrpc.json` answer.
 *
 * @param addresses where JSON-RPC is served: the address of each network, without a query. None: one to be filled in.
 */
export function openrpcDocument(addresses: readonly string[] = []): string {
  document ??= splitAtServers();
  const { before, after, servers } = document;
  return before + (addresses.length === 0 ? servers : stringifyJson(addresses.map(serverAt))) + after;
}

function splitAtServers(): Document {
  const generated = readDocument(PATH) as Readonly<Record<string, unknown>>;
  const text = stringifyJson({ ...generated, servers: PLACE });
  const [before = '', after = ''] = text.split(stringifyJson(PLACE));
  return { before, after, servers: stringifyJson(generated.servers) };
}

/** `https://node.example/solana-mainnet` is called solana-mainnet. */
function serverAt(address: string) {
  return {
    name: address.slice(address.lastIndexOf('/') + 1),
    url: `${address}?apikey={apikey}`,
    variables: { apikey: { default: '<API_KEY>', description: "The account's API key." } },
  };
}
