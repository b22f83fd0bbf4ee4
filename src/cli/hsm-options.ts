import { parseArgs } from 'node:util';

/** `keyslot hsm check`. */
export type HsmCommand = {
  readonly kind: 'hsm';
  readonly action: 'check';
  readonly options: { readonly config?: string; readonly json?: boolean };
};

/** Reads the arguments after `keyslot hsm`. @throws Error that says what is wrong with them. */
export function parseHsmArguments(args: readonly string[]): HsmCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { config: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [action, ...rest] = positionals;
  if (action !== 'check' || rest.length > 0) throw new Error('the one action is: hsm check');
  return { kind: 'hsm', action, options: values };
}
