import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

/** A parsed `keyslot nodes`. */
export type NodesCommand = { readonly kind: 'nodes'; readonly options: ServerOptions };

/** Reads the arguments after `keyslot nodes`. @throws Error saying what is wrong with them. */
export function parseNodesArguments(args: readonly string[]): NodesCommand {
  const { values } = parseArgs({ args: [...args], options: SERVER_OPTIONS, strict: true });
  return { kind: 'nodes', options: { ...values } };
}
