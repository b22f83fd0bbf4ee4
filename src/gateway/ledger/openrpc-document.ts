import { readDocument } from '../../../runtime/read-document.ts';
import { stringifyJson } from '../../core/rpc/json.ts';

const PATH = new URL('../../../generated/ledger/openrpc.json', import.meta.url);
const PLACE = '\u0000servers';

type Document = {
  readonly before: string;
  readonly after: string;
  /** The generated servers, with an address to be filled in. */
  readonly servers: string;
};

let document: Document | undefined;
let shared: readonly [before: Buffer, after: Buffer] | undefined;

/**
 * Returns the ledger's OpenRPC document as JSON text: the answer of `rpc.discover` and `/openrpc.json`.
 *
 * @param addresses the JSON-RPC address of each network, without a query. Empty: one address to be filled in.
 */
export function openrpcDocument(addresses: readonly string[] = []): string {
  document ??= splitAtServers();
  const { before, after, servers } = document;
  return before + (addresses.length === 0 ? servers : stringifyJson(addresses.map(serverAt))) + after;
}

/** Returns the same document as UTF-8, in parts that all callers share but for the addresses. */
export function openrpcParts(addresses: readonly string[]): readonly Buffer[] {
  document ??= splitAtServers();
  shared ??= [Buffer.from(document.before), Buffer.from(document.after)];
  const [before, after] = shared;
  return [before, Buffer.from(stringifyJson(addresses.map(serverAt))), after];
}

function splitAtServers(): Document {
  const generated = readDocument(PATH) as Readonly<Record<string, unknown>>;
  const text = stringifyJson({ ...generated, servers: PLACE });
  const [before = '', after = ''] = text.split(stringifyJson(PLACE));
  return { before, after, servers: stringifyJson(generated.servers) };
}

/** Names a server after its path: `https://node.example/solana-mainnet` becomes solana-mainnet. */
function serverAt(address: string) {
  return {
    name: address.slice(address.lastIndexOf('/') + 1),
    url: `${address}?apikey={apikey}`,
    variables: { apikey: { default: '<API_KEY>', description: "The account's API key." } },
  };
}
