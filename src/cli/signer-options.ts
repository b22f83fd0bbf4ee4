import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

/** A parsed `keyslot signer rotate-master`. */
export type SignerCommand = {
  readonly kind: 'signer';
  readonly action: 'rotate-master';
  readonly options: ServerOptions;
};

/** Reads the arguments after `keyslot signer`. @throws Error saying what is wrong with them. */
export function parseSignerArguments(args: readonly string[]): SignerCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: SERVER_OPTIONS,
    strict: true,
    allowPositionals: true,
  });
  const [action, ...rest] = positionals;
  if (action !== 'rotate-master' || rest.length > 0)
    throw new Error('the one action is: signer rotate-master');
  return { kind: 'signer', action, options: { ...values } };
}
