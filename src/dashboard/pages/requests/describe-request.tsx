import type { LoggedRequest, RequestProtocol } from '../../../../generated/account/types.ts';
import { Badge } from '../../parts/badge.tsx';

export const PROTOCOL_NAMES: Readonly<Record<RequestProtocol, string>> = {
  json_rpc: 'JSON-RPC',
  websocket: 'WebSocket',
  grpc: 'gRPC',
  wallets: 'Wallet service',
  account: 'Account service',
};

const SHOWN = 8;

/** Returns the name of the caller; the beginning of its id if that is gone. */
export function callerOf({ caller_name, key_id, token_id, member_id }: LoggedRequest): string {
  const id = key_id ?? token_id ?? member_id ?? '';
  return caller_name ?? `${id.slice(0, SHOWN)}…`;
}

/** Prints a duration in milliseconds; a dash for what never ran. */
export function printDuration(us: number | undefined): string {
  if (us === undefined) return '–';
  return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;
}

/** The status, and the code of the error; a call that failed with status 200 is not taken for one that succeeded. */
export function OutcomeBadge({ request: { status, error, rpc_code } }: { readonly request: LoggedRequest }) {
  const code = error === 'node_error' && rpc_code !== undefined ? ` ${rpc_code}` : '';
  if (error === undefined) return <Badge tone="good">{status ?? 'ok'}</Badge>;
  return (
    <span className="cell-lines">
      <span>
        <Badge tone={status !== undefined && status >= 500 ? 'bad' : 'warn'}>
          {status === undefined || status < 400 ? 'failed' : status}
        </Badge>
      </span>
      <code className="outcome-code">
        {error}
        {code}
      </code>
    </span>
  );
}
