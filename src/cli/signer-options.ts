import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

const ACTIONS = ['rotate-master', 'adopt'] as const;

/** A parsed `keyslot signer …`. */
export type SignerCommand = {
  readonly kind: 'signer';
  readonly action: (typeof ACTIONS)[number];
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
  const [name, ...rest] = positionals;
  const action = ACTIONS.find((one) => one === name);
  if (action === undefined || rest.length > 0)
    throw new Error('expected one of: signer rotate-master, signer adopt');
  return { kind: 'signer', action, options: { ...values } };
}
