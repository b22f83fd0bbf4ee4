import { readFileSync } from 'node:fs';

const PATH = new URL('../../generated/ledger/openrpc.json', import.meta.url);

let text: string | undefined;

/** The OpenRPC document of the ledger as JSON text, read once. What `rpc.discover` and `/openrpc.json` answer. */
export function openrpcDocument(): string {
  text ??= readFileSync(PATH, 'utf8').trimEnd();
  return text;
}
