import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string | null>>;

type Token = Row & { readonly scopes: readonly string[] };

type Standing = Row & { readonly operations_this_month: Readonly<Record<string, number>> };

type Verdict = {
  readonly is_sound: boolean;
  readonly signatures_checked: boolean;
  readonly accounts: readonly {
    readonly account: string | null;
    readonly account_id: string;
    readonly records: number;
    readonly signed_up_to: number;
    readonly problems: readonly { readonly kind: string; readonly at: number }[];
  }[];
  readonly damaged_lines: readonly number[];
};

/** How a command is told of to people. */
const DESCRIBE: Readonly<Record<string, (result: never) => string>> = {
  'tokens.create': ({ id, name, account, scopes, token, expires_at }: Token) =>
    `Token ${id} (${name}, account ${account}) for ${(scopes ?? []).join(', ')}${expires_at === null ? '' : `, until ${expires_at}`}. It is shown this once:\n\n  ${token}\n\n`,
  'tokens.list': ({ tokens }: { readonly tokens: readonly Token[] }) =>
    tokens.length === 0 ? 'There are no access tokens.\n' : textTable(TOKEN_HEAD, tokens.map(tokenCells)),
  'tokens.revoke': ({ id, revoked_at }: Row) => `Token ${id} is revoked since ${revoked_at}.\n`,
  'money.credit': ({ credited_usd, ...standing }: Standing) =>
    `Credited ${credited_usd} USD.\n${describeStanding(standing as Standing)}`,
  'money.billing': describeStanding,
  'money.balance': describeStanding,
  'wallet-limit': ({ account, requests, window_seconds }: Row) =>
    `The account ${account} may call the wallet create endpoints ${requests} times in ${window_seconds} s.\n`,
  'wallet-use-limit': ({ account, requests, window_seconds }: Row) =>
    requests === null
      ? `The account ${account} may fetch, sign with and destroy wallets as often as its plan says.\n`
      : `The account ${account} may fetch, sign with and destroy wallets ${requests} times in ${window_seconds} s.\n`,
  'two-factor.enrol': ({ account, uri, secret }: Row) =>
    `The account ${account} has a second factor. It is shown this once; give it to an authenticator app, as an address (a QR code of it, for example) or typed in:\n\n  ${uri}\n  ${secret}\n\n`,
  'two-factor.remove': ({ account }: Row) => `The account ${account} has no second factor any more.\n`,
  'two-factor.unlock': ({ account }: Row) => `The second factor of the account ${account} is not locked.\n`,
  'audit.verify': describeVerdict,
};

/** What a command prints for people. `result` is what it prints as JSON. */
export function describeAccount(kind: string, result: unknown): string {
  return DESCRIBE[kind]?.(result as never) ?? `${JSON.stringify(result)}\n`;
}

const TOKEN_HEAD = ['ID', 'BEGINS', 'ACCOUNT', 'NAME', 'SCOPES', 'CREATED', 'STATE'] as const;

function tokenCells(token: Token): readonly string[] {
  const { id, prefix, account, name, scopes, created_at, state, expires_at, revoked_at } = token;
  const until = expires_at === null ? '' : ` until ${expires_at}`;
  const since = { valid: until, revoked: ` since ${revoked_at}`, expired: ` since ${expires_at}` };
  const ends = state === 'valid' || state === 'revoked' || state === 'expired' ? since[state] : '';
  return [id, prefix, account, name, (scopes ?? []).join(' '), created_at, `${state}${ends}`].map(String);
}

function describeStanding(standing: Standing): string {
  const { account, billing, available_usd, balance_usd, credit_limit_usd, reserved_usd, charged_usd } =
    standing;
  const limit = billing === 'invoiced' ? ` (credit limit ${credit_limit_usd} USD)` : '';
  const counts = Object.entries(standing.operations_this_month);
  const rows = [
    ['available', `${available_usd} USD${limit}`],
    ['balance', `${balance_usd} USD`],
    ['set aside', `${reserved_usd} USD`],
    ['charged so far', `${charged_usd} USD`],
    ...counts.map(([operation, units]) => [`${operation.replaceAll('_', ' ')} this month`, String(units)]),
  ];
  return `The account ${account} is ${billing}.\n${textTable(['', ''], rows).trimStart()}`;
}

function describeVerdict({ is_sound, signatures_checked, accounts, damaged_lines }: Verdict): string {
  const lines = accounts.map(({ account, account_id, records, signed_up_to, problems }) => {
    const found = problems.map(({ kind, at }) => `\n  ${kind.replaceAll('_', ' ')} at record ${at}`);
    const signed = signatures_checked ? `, signed up to ${signed_up_to}` : '';
    return `${account ?? account_id}: ${records} records${signed}${found.join('')}\n`;
  });
  const damaged = damaged_lines.map((line) => `the file of heads is damaged at line ${line}\n`);
  const unchecked = signatures_checked
    ? ''
    : 'Signatures of heads were not checked: no signer runs here. Give its key with --public-key.\n';
  const verdict = is_sound ? 'The audit log is sound.\n' : 'The audit log is NOT sound.\n';
  return `${lines.join('')}${damaged.join('')}${unchecked}${verdict}`;
}
