import { AUDIT_ACTIONS } from '../../../generated/account/events.ts';
import type { AuditRecord, BookEntry, WalletLimit } from '../../../generated/account/types.ts';
import { MAX_REQUESTS } from '../../account/plans/limit-requests.ts';
import { serviceError } from '../../core/service-error.ts';
import { mistake } from '../../operate/admin/admin-request.ts';
import { isWalletId } from '../../wallets/wallet-id.ts';
import { type Columns, pageOf, tableOf, textTable } from '../text-table.ts';
import { type Action, type Given, isId, local, operation, readDuration, readSpanPage } from './action.ts';
import { describeState } from './keys.ts';

/** The commands about the wallet service: access tokens, money, limits, second factors and the audit log. */
export const WALLET_ACTIONS = {
  'tokens create': ({ options, lists: { scope: scopes } }: Given) => {
    const { name, account } = options;
    const expiresInMs = readDuration('expires', options);
    return local(
      { kind: 'tokens.create', name, account, scopes, expiresInMs },
      ({ id, token, expires_at: end, ...shown }: Token) =>
        `Created access token ${id} (${shown.name}, account ${shown.account}) for ${shown.scopes.join(', ')}${end === null ? '' : `, valid until ${end}`}. Copy it now; it is not shown again:\n\n  ${token}\n\n`,
    );
  },
  'tokens list': ({ options: { account } }: Given) =>
    local({ kind: 'tokens.list', account }, ({ tokens }: { readonly tokens: readonly Token[] }) =>
      tokens.length === 0 ? 'No access tokens.\n' : tableOf(TOKEN_COLUMNS, tokens),
    ),
  'tokens revoke': ({ words: [id = ''] }: Given) =>
    operation(
      { operation: 'revokeToken', id },
      ({ revoked_at }) => ({ id, revoked_at }),
      ({ revoked_at: revokedAt }) => `Access token ${id} was revoked at ${revokedAt}.\n`,
    ),
  balance: ({ words: [account] }: Given) => local({ kind: 'money.balance', account }, describeBalance),
  credit: ({ words: [account, amountUsd], options: { note } }: Given) =>
    local(
      { kind: 'money.credit', account, amountUsd, note },
      ({ credited_usd: credited, ...shown }: Balance & { readonly credited_usd: string }) =>
        `Credited ${credited} USD.\n${describeBalance(shown)}`,
    ),
  entries: (given: Given) => {
    const [account = ''] = given.words;
    return {
      ...operation(
        { operation: 'listEntries', account, query: readSpanPage(given) },
        ({ entries, ...next }) => ({ account, entries: entries.map(showEntry), ...next }),
        ({ entries, next_cursor: cursor }) =>
          pageOf(ENTRY_COLUMNS, entries, {
            ifEmpty: `No matching entries in the books of the account ${account}.\n`,
            cursor,
          }),
      ),
      list: 'entries',
    };
  },
  'wallet-limit': (given: Given) =>
    setLimit(given, {
      command: 'wallet-limit',
      option: 'per-minute',
      limit: 'wallet_create',
      use: 'call the wallet create endpoints',
    }),
  'wallet-use-limit': (given: Given) =>
    setLimit(given, {
      command: 'wallet-use-limit',
      option: 'per-second',
      limit: 'wallet_use',
      use: 'fetch, sign with and destroy wallets',
    }),
  'two-factor enrol': ({ words: [account] }: Given) =>
    local(
      { kind: 'two-factor.enrol', account },
      ({ uri, secret }: Readonly<Record<'uri' | 'secret', string>>) =>
        `The account ${account} has a second factor. Add it to an authenticator app now, by the address (as a QR code, for example) or the secret; neither is shown again:\n\n  ${uri}\n  ${secret}\n\n`,
    ),
  'two-factor remove': ({ words: [account] }: Given) =>
    local(
      { kind: 'two-factor.remove', account },
      () => `Removed the second factor of the account ${account}.\n`,
    ),
  'two-factor unlock': ({ words: [account] }: Given) =>
    local(
      { kind: 'two-factor.unlock', account },
      () => `The second factor of the account ${account} is unlocked.\n`,
    ),
  'audit list': listAudit,
  'audit verify': ({ options: { account }, lists: { 'public-key': publicKeys } }: Given) =>
    local({ kind: 'audit.verify', account, publicKeys }, describeVerdict),
} satisfies Record<string, (given: Given) => Action>;

type Row = Readonly<Record<string, string | null>>;
type Token = Row & { readonly scopes: readonly string[] };
/** The billing mode and the balance of an account. */
export type Balance = Row & { readonly operations_this_month: Readonly<Record<string, number>> };
/** The source of a limit is known when it is shown, not when it is set. */
type ShownLimit = Pick<WalletLimit, 'window_seconds'> & {
  readonly requests: number | null;
  readonly source?: WalletLimit['source'];
};

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

const TOKEN_COLUMNS: Columns<Token> = {
  ID: 'id',
  PREFIX: 'prefix',
  ACCOUNT: 'account',
  NAME: 'name',
  SCOPES: ({ scopes }) => scopes.join(' '),
  CREATED: 'created_at',
  STATE: describeState,
};

type LimitCommand = {
  readonly command: string;
  readonly option: string;
  readonly limit: 'wallet_create' | 'wallet_use';
  readonly use: string;
};

/** Without options the command shows the limit. */
function setLimit(
  { words: [account = ''], options }: Given,
  { command, option, limit, use }: LimitCommand,
): Action {
  const figure = options[option];
  const isDefault = options.default === true;
  const member = `${limit}_limit` as const;
  const describe = ({ requests, window_seconds: windowSeconds, source }: ShownLimit): string =>
    requests === null
      ? `The account ${account} may ${use} as often as its plan allows.\n`
      : `The account ${account} may ${use} ${requests} times in ${windowSeconds} s${source === undefined ? '' : SOURCES[source]}.\n`;
  if (figure === undefined && !isDefault)
    return operation(
      { operation: 'readAccount', account },
      ({ [member]: shown }) => ({ account, ...shown }),
      describe,
    );
  if (figure !== undefined && isDefault)
    throw mistake(`${command}: expected either --${option} N or --default, got both`);
  const wanted = figure === undefined ? undefined : Number(figure);
  if (wanted !== undefined && !(Number.isSafeInteger(wanted) && wanted > 0 && wanted <= MAX_REQUESTS))
    throw mistake(`--${option} must be a whole number from 1 to ${MAX_REQUESTS}`);
  const body = { limit, ...(wanted !== undefined && { requests: wanted }) };
  return operation(
    { operation: 'setAccountLimits', account, body },
    ({ [member]: { requests, window_seconds } }) => ({
      account,
      requests: limit === 'wallet_use' ? (wanted ?? null) : requests,
      window_seconds,
    }),
    describe,
  );
}

const SOURCES: Readonly<Record<WalletLimit['source'], string>> = {
  spec: ' (the default of the specification)',
  plan: ' (the limit of its plan)',
  store: ' (set for this account)',
};

/** Returns the text of a balance. */
export function describeBalance(shown: Balance): string {
  const { account, billing, available_usd, balance_usd, credit_limit_usd, reserved_usd, charged_usd } = shown;
  const limit = billing === 'invoiced' ? ` (credit limit ${credit_limit_usd} USD)` : '';
  const granted = shown.granted_credit_limit_usd;
  const byVolume =
    granted === '0.00' ? 'by volume, without a credit limit' : `by volume, credit limit ${granted} USD`;
  const counts = Object.entries(shown.operations_this_month);
  const rows = [
    ['available', `${available_usd} USD${limit}`],
    ['balance', `${balance_usd} USD`],
    ['reserved', `${reserved_usd} USD`],
    ['charged', `${charged_usd} USD`],
    ['charged this month', `${shown.charged_this_month_usd} USD`],
    ...counts.map(([operation, units]) => [`${operation.replaceAll('_', ' ')} this month`, String(units)]),
  ];
  const mode = shown.mode === 'by_volume' ? byVolume : 'always';
  return `The account ${account} is ${billing} (${mode}).\n${textTable(['', ''], rows).trimStart()}`;
}

const OUTCOME = /^[a-z][a-z0-9_]{0,63}$/;

function listAudit(given: Given): Action {
  const [account = ''] = given.words;
  const { action, outcome, wallet, token } = given.options;
  const page = readSpanPage(given);
  const query = {
    ...page,
    ...readFilter('action', action, {
      isValid: (text) => AUDIT_ACTIONS.includes(text),
      expected: `--action must be one of ${AUDIT_ACTIONS.join(', ')}`,
    }),
    ...readFilter('outcome', outcome, {
      isValid: (text) => OUTCOME.test(text),
      expected:
        '--outcome must be ok, replayed, interrupted, others or the code of an error such as scope_missing',
    }),
    ...readFilter('wallet_id', wallet, {
      isValid: isWalletId,
      expected: '--wallet must be the id of a wallet, such as w_Mv1yfXSRds89fzXtB8iMzg',
    }),
    ...readFilter('token_id', token, {
      isValid: isId,
      expected: '--token must be the id of a token, as keyslot tokens list shows it',
    }),
  };
  return {
    ...operation(
      { operation: 'listAuditRecords', account, query },
      ({ records, ...next }) => ({ account, records: records.map(showRecord), ...next }),
      ({ records, next_cursor: cursor }) =>
        pageOf(RECORD_COLUMNS, records, {
          ifEmpty: `No matching records in the audit log of the account ${account}.\n`,
          cursor,
        }),
    ),
    list: 'records',
    // The only part of the query that is not checked here.
    toMistake: (error) =>
      error.code === 'queryInvalid' && token !== undefined
        ? serviceError('tokenNotFound', { id: String(token) })
        : error,
  };
}

type Filter = { readonly isValid: (text: string) => boolean; readonly expected: string };

function readFilter(
  member: string,
  text: unknown,
  { isValid, expected }: Filter,
): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  if (typeof text === 'string' && isValid(text)) return { [member]: text };
  throw mistake(`${expected}, got ${JSON.stringify(text)}`);
}

function showRecord(record: AuditRecord) {
  return {
    account_id: record.account_id,
    seq: record.seq,
    at: record.at,
    action: record.action,
    outcome: record.outcome,
    token_id: record.token_id ?? null,
    token: record.token_name ?? null,
    request_id: record.request_id,
    wallet_id: record.wallet_id ?? null,
    units: record.units,
    address: record.address ?? null,
    member_id: record.member_id ?? null,
    subject: record.subject ?? null,
    ...(record.charges !== undefined && { charges: record.charges }),
    ...(record.changes !== undefined && { changes: record.changes }),
    previous_hash: record.previous_hash,
    hash: record.hash,
  };
}

function showEntry(entry: BookEntry) {
  return {
    id: entry.id,
    at: entry.at,
    kind: entry.kind,
    operation: entry.operation ?? null,
    units: entry.units ?? null,
    amount_usd: entry.amount_usd,
    reserved_usd: entry.reserved_usd,
    charged_usd: entry.charged_usd,
    balance_usd: entry.balance_after_usd ?? null,
    reservation_id: entry.reservation_id ?? null,
    note: entry.note ?? null,
  };
}

const RECORD_COLUMNS: Columns<ReturnType<typeof showRecord>> = {
  TIME: 'at',
  '>RECORD': 'seq',
  ACTION: 'action',
  OUTCOME: 'outcome',
  '>UNITS': 'units',
  WALLET: 'wallet_id',
  SUBJECT: 'subject',
  TOKEN: ({ token, token_id: id }) => token ?? id,
  REQUEST: 'request_id',
  ADDRESS: 'address',
};

const ENTRY_COLUMNS: Columns<ReturnType<typeof showEntry>> = {
  TIME: 'at',
  KIND: 'kind',
  OPERATION: 'operation',
  '>UNITS': 'units',
  '>AMOUNT USD': 'amount_usd',
  '>RESERVED USD': 'reserved_usd',
  '>CHARGED USD': 'charged_usd',
  '>BALANCE USD': 'balance_usd',
  NOTE: 'note',
};

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
  const damaged = damaged_lines.map((line) => `The file of audit heads is damaged at line ${line}.\n`);
  const unchecked = signatures_checked
    ? ''
    : 'The signatures of the heads were not checked, because no signer is running. Pass its public key with --public-key.\n';
  const keys = public_keys.map((key) => `Verified the heads with the public key ${key}\n`);
  const verdict = is_sound ? 'The audit log is intact.\n' : 'The audit log is NOT intact.\n';
  return `${lines.join('')}${damaged.join('')}${unchecked}${keys.join('')}${verdict}`;
}
