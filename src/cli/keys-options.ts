import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

export type KeysAction = 'create' | 'list' | 'rotate' | 'revoke';

/** A parsed `keyslot keys …`. */
export type KeysCommand = {
  readonly kind: 'keys';
  readonly action: KeysAction;
  /** The key that the command names; undefined where it names none. */
  readonly id: string | undefined;
  readonly options: ServerOptions;
};

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;

/** The options of each command, and whether it names a key. */
const ACTIONS: Readonly<
  Record<
    KeysAction,
    { readonly options: Readonly<Record<string, typeof TEXT | typeof TEXTS>>; readonly takesId: boolean }
  >
> = {
  create: { options: { name: TEXT, account: TEXT, origin: TEXTS, cidr: TEXTS }, takesId: false },
  list: { options: { account: TEXT }, takesId: false },
  rotate: { options: { overlap: TEXT }, takesId: true },
  revoke: { options: {}, takesId: true },
};

/** Reads the arguments after `keyslot keys`. @throws Error saying what is wrong with them. */
export function parseKeysArguments([action = '', ...rest]: readonly string[]): KeysCommand {
  if (!isAction(action)) throw new Error(`say one of ${Object.keys(ACTIONS).join(', ')}`);
  const { options, takesId } = ACTIONS[action];
  const parsed = parseArgs({
    args: [...rest],
    options: { ...SERVER_OPTIONS, ...options },
    strict: true,
    allowPositionals: takesId,
  });
  const [id, ...others] = parsed.positionals;
  if (takesId && id === undefined)
    throw new Error(`${action}: which key? Give its id, which keyslot keys list shows`);
  if (others.length > 0) throw new Error(`${action}: one key at a time`);
  return { kind: 'keys', action, id, options: { ...parsed.values } };
}

function isAction(text: string): text is KeysAction {
  return Object.hasOwn(ACTIONS, text);
}
