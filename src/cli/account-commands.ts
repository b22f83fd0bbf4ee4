import { parseArgs } from 'node:util';
import { parseDuration } from './duration.ts';
import { SERVER_OPTIONS, type ServerOptions } from './server-options.ts';

/** A parsed command about access tokens, money, limits, second factors or the audit log. */
export type AccountCommand = {
  readonly kind: 'account';
  /** What the server is asked. */
  readonly request: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly options: ServerOptions;
};

type Given = { readonly words: readonly string[]; readonly options: ServerOptions };

type Form = {
  /** The words that it takes, each of them. */
  readonly words: readonly string[];
  readonly options: Readonly<
    Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>
  >;
  readonly ask: (given: Given) => AccountCommand['request'];
};

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const FLAG = { type: 'boolean' } as const;

/** The commands, by their first words. */
const FORMS: Readonly<Record<string, Form>> = {
  'tokens create': {
    words: [],
    options: { name: TEXT, account: TEXT, scope: TEXTS, expires: TEXT },
    ask: ({ options: { name, account, scope, expires } }) => {
      const expiresInMs = readExpiry(expires);
      return { kind: 'tokens.create', name, account, scopes: scope, expiresInMs };
    },
  },
  'tokens list': {
    words: [],
    options: { account: TEXT },
    ask: ({ options: { account } }) => ({ kind: 'tokens.list', account }),
  },
  'tokens revoke': { words: ['ID'], options: {}, ask: ({ words: [id] }) => ({ kind: 'tokens.revoke', id }) },
  credit: {
    words: ['ACCOUNT', 'AMOUNT_USD'],
    options: { note: TEXT },
    ask: ({ words: [account, amountUsd], options: { note } }) => ({
      ...{ kind: 'money.credit', account, amountUsd, note },
    }),
  },
  billing: {
    words: ['ACCOUNT'],
    options: { invoiced: FLAG, prepaid: FLAG, 'credit-limit': TEXT },
    ask: ({ words: [account], options: { invoiced, prepaid, 'credit-limit': creditLimitUsd } }) => {
      const isInvoiced = invoiced === true && prepaid !== true && creditLimitUsd !== undefined;
      const isPrepaid = prepaid === true && invoiced !== true && creditLimitUsd === undefined;
      if (!isInvoiced && !isPrepaid) throw new Error('give --invoiced --credit-limit USD, or --prepaid');
      return { kind: 'money.billing', account, creditLimitUsd };
    },
  },
  balance: {
    words: ['ACCOUNT'],
    options: {},
    ask: ({ words: [account] }) => ({ kind: 'money.balance', account }),
  },
  'wallet-limit': {
    words: ['ACCOUNT'],
    options: { 'per-minute': TEXT, default: FLAG },
    ask: (given) => ({ kind: 'wallet-limit', ...readLimit(given, 'per-minute') }),
  },
  'wallet-use-limit': {
    words: ['ACCOUNT'],
    options: { 'per-second': TEXT, default: FLAG },
    ask: (given) => ({ kind: 'wallet-use-limit', ...readLimit(given, 'per-second') }),
  },
  'two-factor enrol': {
    words: ['ACCOUNT'],
    options: {},
    ask: ({ words: [account] }) => ({ kind: 'two-factor.enrol', account }),
  },
  'two-factor remove': {
    words: ['ACCOUNT'],
    options: {},
    ask: ({ words: [account] }) => ({ kind: 'two-factor.remove', account }),
  },
  'two-factor unlock': {
    words: ['ACCOUNT'],
    options: {},
    ask: ({ words: [account] }) => ({ kind: 'two-factor.unlock', account }),
  },
  'audit verify': {
    words: [],
    options: { account: TEXT, 'public-key': TEXTS },
    ask: ({ options: { account, 'public-key': publicKeys } }) => ({
      ...{ kind: 'audit.verify', account, publicKeys },
    }),
  },
};

const GROUPS = new Set(Object.keys(FORMS).map((name) => name.split(' ')[0]));

/** Whether the first word after `keyslot` begins one of these commands. */
export function isAccountCommand(name: string): boolean {
  return GROUPS.has(name);
}

/** Reads the arguments after `keyslot`. @throws Error saying what is wrong with them. */
export function parseAccountArguments([group = '', ...rest]: readonly string[]): AccountCommand {
  const [action = '', ...others] = rest;
  const own = FORMS[group];
  const form = own ?? FORMS[`${group} ${action}`];
  if (form === undefined) throw new Error(`say one of ${actionsOf(group).join(', ')}`);
  const { words, options } = readArguments(form, own === undefined ? others : rest);
  if (words.length !== form.words.length)
    throw new Error(
      form.words.length === 0 ? 'takes no words but its options' : `give ${form.words.join(' ')}`,
    );
  return { kind: 'account', request: form.ask({ words, options }), options };
}

/** A word such as `-25` is an amount, no option. */
function readArguments({ options }: Form, args: readonly string[]): Given {
  const amounts = args.filter((arg) => /^-[\d.]/.test(arg));
  const { values, positionals } = parseArgs({
    args: args.filter((arg) => !amounts.includes(arg)),
    options: { ...SERVER_OPTIONS, ...options },
    strict: true,
    allowPositionals: true,
  });
  return { words: [...positionals, ...amounts], options: { ...values } };
}

/** What an account may call in a window; `--default`: as the specification or its plan says. */
function readLimit({ words: [account], options }: Given, option: string) {
  const figure = options[option];
  if ((figure === undefined) === (options.default !== true))
    throw new Error(`give --${option} N, or --default`);
  return { account, requests: figure === undefined ? undefined : Number(figure) };
}

function actionsOf(group: string): readonly string[] {
  return Object.keys(FORMS).flatMap((name) =>
    name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [],
  );
}

function readExpiry(expires: unknown): number | undefined {
  if (expires === undefined) return undefined;
  const expiresInMs = parseDuration(String(expires));
  if (expiresInMs === undefined)
    throw new Error(`--expires is ${JSON.stringify(expires)}; must be such as 12h or 90d`);
  return expiresInMs;
}
