import { describeState } from './key-text.ts';
import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string | null>>;

type Token = Row & { readonly scopes: readonly string[] };

type Standing = Row & { readonly operations_this_month: Readonly<Record<string, number>> };

type Verdict = {
  readonly is_sound: boolean;
  readonly signatures_checked: boolean;
  readonly public_keys: readonly string[];
  readonly accounts: readonly {
    readonly account: string | null;
    readonly account_id: string;
    readonly records: number;
    readonly signed_up_to: number;
    readonly problems: readonly { readonly kind: string; readonly at: number }[];
  }[];
  readonly damaged_lines: readonly number[];
};

/** The texts of the results of requests about access tokens, money, limits, second factors and the audit log. */
export const ACCOUNT_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'tokens.create': ({ id, name, account, scopes, token, expires_at }: Token) =>
    `Created access token ${id} (${name}, account ${account}) for ${(scopes ?? []).join(', ')}${expires_at === null ? '' : `, valid until ${expires_at}`}. Copy it now; it is not shown again:\n\n  ${token}\n\n`,
  'tokens.list': ({ tokens }: { readonly tokens: readonly Token[] }) =>
    tokens.length === 0 ? 'There are no access tokens.\n' : textTable(TOKEN_HEAD, tokens.map(tokenCells)),
  'tokens.revoke': ({ id, revoked_at }: Row) => `Access token ${id} was revoked at ${revoked_at}.\n`,
  'money.credit': ({ credited_usd, ...standing }: Standing) =>
    `Credited ${credited_usd} USD.\n${describeStanding(standing as Standing)}`,
  'billing.set': describeStanding,
  'money.balance': describeStanding,
  'wallet-limit': describeCreateLimit,
  'wallet-limit.show': describeCreateLimit,
  'wallet-use-limit': ({ account, ...limit }: Row) =>
    limit.requests === null
      ? `The account ${account} may fetch, sign with and destroy wallets as often as its plan allows.\n`
      : describeUseLimit({ account: account ?? '', ...limit }),
  'wallet-use-limit.show': describeUseLimit,
  'two-factor.enrol': ({ account, uri, secret }: Row) =>
    `The account ${account} has a second factor. Add it to an authenticator app now, by the address (as a QR code, for example) or the secret; neither is shown again:\n\n  ${uri}\n  ${secret}\n\n`,
  'two-factor.remove': ({ account }: Row) => `Removed the second factor of the account ${account}.\n`,
  'two-factor.unlock': ({ account }: Row) => `The second factor of the account ${account} is unlocked.\n`,
  'audit.verify': describeVerdict,
};

const TOKEN_HEAD = ['ID', 'PREFIX', 'ACCOUNT', 'NAME', 'SCOPES', 'CREATED', 'STATE'] as const;

function tokenCells(token: Token): readonly string[] {
  const { id, prefix, account, name, scopes, created_at: createdAt } = token;
  return [id, prefix, account, name, (scopes ?? []).join(' '), createdAt, describeState(token)].map(String);
}

function describeCreateLimit(limit: Row): string {
  return `The account ${limit.account} may call the wallet create endpoints ${describeLimit(limit)}.\n`;
}

function describeUseLimit(limit: Row): string {
  return `The account ${limit.account} may fetch, sign with and destroy wallets ${describeLimit(limit)}.\n`;
}

/** The origin of a limit is known where it was asked for, not where it was set. */
function describeLimit({ requests, window_seconds: windowSeconds, source }: Row): string {
  const origin = SOURCES[source ?? ''] ?? '';
  return `${requests} times in ${windowSeconds} s${origin}`;
}

const SOURCES: Readonly<Record<string, string>> = {
  spec: ' (the default of the specification)',
  plan: ' (the limit of its plan)',
  store: ' (set for this account)',
};

function describeStanding(standing: Standing): string {
  const { account, billing, available_usd, balance_usd, credit_limit_usd, reserved_usd, charged_usd } =
    standing;
  const limit = billing === 'invoiced' ? ` (credit limit ${credit_limit_usd} USD)` : '';
  const granted = standing.granted_credit_limit_usd;
  const byVolume =
    granted === '0.00' ? 'by volume, without a credit limit' : `by volume, credit limit ${granted} USD`;
  const counts = Object.entries(standing.operations_this_month);
  const rows = [
    ['available', `${available_usd} USD${limit}`],
    ['balance', `${balance_usd} USD`],
    ['reserved', `${reserved_usd} USD`],
    ['charged', `${charged_usd} USD`],
    ['charged this month', `${standing.charged_this_month_usd} USD`],
    ...counts.map(([operation, units]) => [`${operation.replaceAll('_', ' ')} this month`, String(units)]),
  ];
  const mode = standing.mode === 'by_volume' ? byVolume : 'always';
  return `The account ${account} is ${billing} (${mode}).\n${textTable(['', ''], rows).trimStart()}`;
}

function describeVerdict({
  is_sound,
  signatures_checked,
  public_keys,
  accounts,
  damaged_lines,
}: Verdict): string {
  const lines = accounts.map(({ account, account_id, records, signed_up_to, problems }) => {
    const found = problems.map(({ kind, at }) => `\n  ${kind.replaceAll('_', ' ')} at record ${at}`);
    const signed = signatures_checked ? `, signed up to ${signed_up_to}` : '';
    return `${account ?? account_id}: ${records} records${signed}${found.join('')}\n`;
  });
  const damaged = damaged_lines.map((line) => `The file of signed heads is damaged at line ${line}.\n`);
  const unchecked = signatures_checked
    ? ''
    : 'The signatures of the heads were not checked, because no signer is running. Pass its key with --public-key.\n';
  const keys = public_keys.map((key) => `Heads were verified with the public key ${key}\n`);
  const verdict = is_sound ? 'The audit log is intact.\n' : 'The audit log is NOT intact.\n';
  return `${lines.join('')}${damaged.join('')}${unchecked}${keys.join('')}${verdict}`;
}
