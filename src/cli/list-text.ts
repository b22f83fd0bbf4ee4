import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string | number | null>>;

type List = {
  readonly account: string;
  readonly records?: readonly Row[];
  readonly entries?: readonly Row[];
  readonly next_cursor?: string;
};

/** Columns: their heads, and the members that they show. */
type Columns = Readonly<Record<string, string>>;

const RECORD_COLUMNS: Columns = {
  ...{ TIME: 'at', RECORD: 'seq', ACTION: 'action', OUTCOME: 'outcome', UNITS: 'units', WALLET: 'wallet_id' },
  ...{ SUBJECT: 'subject', TOKEN: 'token', REQUEST: 'request_id', ADDRESS: 'address' },
};

const ENTRY_COLUMNS: Columns = {
  ...{ TIME: 'at', KIND: 'kind', OPERATION: 'operation', UNITS: 'units', 'AMOUNT USD': 'amount_usd' },
  ...{
    'RESERVED USD': 'reserved_usd',
    'CHARGED USD': 'charged_usd',
    'BALANCE USD': 'balance_usd',
    NOTE: 'note',
  },
};

const RIGHT = ['RECORD', 'UNITS', ...Object.keys(ENTRY_COLUMNS).filter((head) => head.endsWith(' USD'))];

/** The texts of lists of an account. */
export const LIST_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'audit.list': ({ account, records = [], next_cursor }: List) =>
    describeList(`The audit log of the account ${account} has no such records.\n`, RECORD_COLUMNS, {
      rows: records.map((row) => ({ ...row, token: row.token ?? row.token_id ?? null })),
      next_cursor,
    }),
  'entries.list': ({ account, entries = [], next_cursor }: List) =>
    describeList(`The books of the account ${account} have no such entries.\n`, ENTRY_COLUMNS, {
      rows: entries,
      next_cursor,
    }),
};

function describeList(
  ifEmpty: string,
  columns: Columns,
  { rows, next_cursor }: { readonly rows: readonly Row[]; readonly next_cursor: string | undefined },
): string {
  const cells = rows.map((row) => Object.values(columns).map((member) => String(row[member] ?? '')));
  const table = rows.length === 0 ? ifEmpty : textTable(Object.keys(columns), cells, RIGHT);
  return next_cursor === undefined ? table : `${table}\nThere are more: --cursor ${next_cursor}\n`;
}
