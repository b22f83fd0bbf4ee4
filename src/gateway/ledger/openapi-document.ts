import { readDocument } from '../../../runtime/read-document.ts';
import { stringifyJson } from '../../core/rpc/json.ts';

const PATH = new URL('../../../generated/ledger/openapi.json', import.meta.url);

/** A network in the document: its JSON-RPC path and its name. */
export type DocumentedNetwork = { readonly rpcPath: string; readonly label: string };

/**
 * Returns the methods as an OpenAPI document, in JSON text, for the reference page: one operation per method, one server per
 * network. The server URLs are relative to a document that is served one level below the root, so that they work behind any
 * proxy.
 */
export function openapiDocument(networks: readonly DocumentedNetwork[]): string {
  const document = readDocument(PATH) as Readonly<Record<string, unknown>>;
  const servers = networks.map(({ rpcPath, label }) => ({ url: `..${rpcPath}`, description: label }));
  return stringifyJson({ ...document, servers });
}
