import { readDocument } from '../../generated/runtime/read-document.ts';
import { stringifyJson } from '../rpc/json.ts';

const PATH = new URL('../../generated/ledger/openapi.json', import.meta.url);

/** A network as the document names it: its JSON-RPC path and what it is called. */
export type DocumentedNetwork = { readonly rpcPath: string; readonly label: string };

/**
 * The methods as an OpenAPI document, in JSON text, for the reference page: one operation per method, one server per network. The
 * servers are relative to a document that is served one level below the root, so that they hold behind any proxy.
 */
export function openapiDocument(networks: readonly DocumentedNetwork[]): string {
  const document = readDocument(PATH) as Readonly<Record<string, unknown>>;
  const servers = networks.map(({ rpcPath, label }) => ({ url: `..${rpcPath}`, description: label }));
  return stringifyJson({ ...document, servers });
}
