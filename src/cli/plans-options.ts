import { parseArgs } from 'node:util';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

export type PlansAction = 'list' | 'set' | 'remove' | 'assign';

/** A parsed `keyslot plans …`. */
export type PlansCommand = {
  readonly kind: 'plans';
  readonly action: PlansAction;
  /** The words after the action, as many as it takes. */
  readonly words: readonly string[];
  readonly options: ServerOptions;
};

const TEXT = { type: 'string' } as const;

/** The words and the options that each command must have. */
const ACTIONS: Readonly<
  Record<PlansAction, { readonly words: readonly string[]; readonly needs: readonly string[] }>
> = {
  list: { words: [], needs: [] },
  set: { words: ['NAME'], needs: ['requests-per-second', 'burst'] },
  remove: { words: ['NAME'], needs: [] },
  assign: { words: ['ACCOUNT', 'PLAN'], needs: [] },
};

/** Reads the arguments after `keyslot plans`. @throws Error saying what is wrong with them. */
export function parsePlansArguments([action = '', ...rest]: readonly string[]): PlansCommand {
  if (!isAction(action)) throw new Error(`say one of ${Object.keys(ACTIONS).join(', ')}`);
  const { words, needs } = ACTIONS[action];
  const own = Object.fromEntries(needs.map((name) => [name, TEXT]));
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: { ...SERVER_OPTIONS, ...own },
    strict: true,
    allowPositionals: true,
  });
  if (positionals.length !== words.length)
    throw new Error(words.length === 0 ? `${action}: takes no words` : `${action}: give ${words.join(' ')}`);
  const given: ServerOptions = { ...values };
  const missing = needs.filter((name) => given[name] === undefined);
  if (missing.length > 0)
    throw new Error(`${action}: give ${missing.map((name) => `--${name} N`).join(' ')}`);
  return { kind: 'plans', action, words: positionals, options: given };
}

function isAction(text: string): text is PlansAction {
  return Object.hasOwn(ACTIONS, text);
}
