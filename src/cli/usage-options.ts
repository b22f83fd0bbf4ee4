import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

/** A parsed `keyslot usage`. */
export type UsageCommand = { readonly kind: 'usage'; readonly options: ServerOptions };

const TEXT = { type: 'string' } as const;

/** Reads the arguments after `keyslot usage`. @throws Error saying what is wrong with them. */
export function parseUsageArguments(args: readonly string[]): UsageCommand {
  const { values } = parseArgs({
    args: [...args],
    options: { ...SERVER_OPTIONS, account: TEXT, key: TEXT, since: TEXT, by: TEXT },
    strict: true,
  });
  return { kind: 'usage', options: { ...values } };
}
