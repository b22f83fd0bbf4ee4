import type { ListRequestsQuery, LoggedRequest } from '../../../generated/account/types.ts';
import { PROTOCOLS } from '../../core/request-id.ts';
import { mistake } from '../../operate/admin/admin-request.ts';
import { type Columns, pageOf } from '../text-table.ts';
import { type Action, type Given, isId, operation, readCount, readSpanPage } from './action.ts';

/** The command that lists and follows single requests. */
export const REQUEST_ACTIONS = {
  requests: (given: Given): Action => {
    const { words, options } = given;
    if (options.follow === true && (options.until !== undefined || options.cursor !== undefined))
      throw mistake('--follow shows what comes: it takes neither --until nor --cursor');
    const query = { ...readSpanPage(given), ...readFilters(given) };
    return {
      ...operation(
        { operation: 'listRequests', account: words[0] ?? '', query },
        (page) => page,
        ({ requests, next_cursor: cursor }) =>
          pageOf(COLUMNS, requests, { ifEmpty: 'No requests.\n', cursor }),
      ),
      list: 'requests',
      toLine: (entry) => lineOf(entry as LoggedRequest),
    };
  },
} satisfies Record<string, (given: Given) => Action>;

const COLUMNS: Columns<LoggedRequest> = {
  TIME: 'at',
  PROTOCOL: 'protocol',
  METHOD: 'method',
  CALLER: callerOf,
  OUTCOME: outcomeOf,
  '>MS': ({ duration_us: us }) => (us === undefined ? '' : printMs(us)),
  '>BYTES': 'bytes_out',
  NODE: 'node',
  REQUEST: 'request_id',
};

function callerOf({ caller_name: name, key_id, token_id, member_id }: LoggedRequest): string {
  return name ?? key_id ?? token_id ?? member_id ?? '';
}

/** Returns the status and the error: `200`, `429 rate_limited`, `200 node_error -32007`; `ok` where there is no status. */
function outcomeOf({ status, error, rpc_code: code }: LoggedRequest): string {
  const parts = [
    status ?? (error === undefined ? 'ok' : ''),
    error,
    error === 'node_error' ? code : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

function printMs(us: number): string {
  return (us / 1_000).toFixed(us < 10_000 ? 1 : 0);
}

/** Prints a request that is followed: its columns, as wide as most of their values. */
function lineOf(request: LoggedRequest): string {
  const { at, protocol, method, duration_us: us, node = '-', request_id: id } = request;
  const ms = us === undefined ? '' : `${printMs(us)} ms`;
  return `${at}  ${protocol.padEnd(9)}  ${method.padEnd(24)}  ${callerOf(request).padEnd(16)}  ${outcomeOf(request).padEnd(20)}  ${ms.padStart(9)}  ${node}  ${id}\n`;
}

const NAME = /^[A-Za-z_.]{1,64}$/;
const CODE = /^[a-z0-9_]{1,64}$/;
const NETWORK = /^[a-z0-9-]{1,64}$/;
const MAX_MS = 86_400_000;
const MAX_BYTES = 1_000_000_000_000;

type Filters = Omit<ListRequestsQuery, 'limit' | 'cursor' | 'since' | 'until'>;

function readFilters({ options }: Given): Filters {
  const { id, protocol, network, method, caller, error, node, ok, failed } = options;
  const text = (name: string, value: unknown, form: RegExp, what: string): string | undefined => {
    if (value === undefined || form.test(String(value)))
      return value === undefined ? undefined : String(value);
    throw mistake(`--${name} must be ${what}, got ${JSON.stringify(value)}`);
  };
  const number = (name: string, value: unknown, from: number, to: number): number | undefined => {
    const count = value === undefined ? undefined : readCount(String(value));
    if (count === undefined || (typeof count === 'number' && count >= from && count <= to)) return count;
    throw mistake(`--${name} must be a whole number from ${from} to ${to}, got ${JSON.stringify(count)}`);
  };
  if (ok === true && failed === true) throw mistake('expected either --ok or --failed, got both');
  const known = PROTOCOLS.find((one) => one === protocol);
  if (protocol !== undefined && known === undefined)
    throw mistake(`--protocol must be one of ${PROTOCOLS.join(', ')}, got ${JSON.stringify(protocol)}`);
  if (caller !== undefined && !isId(String(caller)))
    throw mistake(
      `--caller must be the id of an API key, an access token or a member, got ${JSON.stringify(caller)}`,
    );
  const filters: { readonly [K in keyof Filters]: Filters[K] | undefined } = {
    request_id: id === undefined ? undefined : String(id),
    protocol: known,
    network: text('network', network, NETWORK, 'a network such as solana-mainnet'),
    method: text('method', method, NAME, 'a method such as getBalance, or an operation such as createWallet'),
    caller_id: caller === undefined ? undefined : String(caller),
    outcome: ok === true ? 'ok' : failed === true ? 'failed' : undefined,
    status: number('status', options.status, 100, 599),
    error: text('error', error, CODE, 'the code of an error such as rate_limited'),
    node: node === undefined ? undefined : String(node),
    min_duration_ms: number('slower-than', options['slower-than'], 0, MAX_MS),
    min_bytes: number('larger-than', options['larger-than'], 0, MAX_BYTES),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
