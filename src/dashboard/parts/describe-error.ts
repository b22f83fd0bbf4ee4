import { CallError } from '../../../runtime/call-error.ts';
import { RestCallError } from '../../../runtime/rest-call.ts';
import { retryAfterSeconds } from '../calls/failure-code.ts';
import { formatMicroUsd } from './format-number.ts';

/** An error in words: what happened, the remedy, and the request id for the operator. */
export type DescribedError = {
  readonly text: string;
  readonly remedy?: string;
  readonly requestId?: string;
  /** The faults by JSON pointer into the sent body. */
  readonly fields: Readonly<Record<string, string>>;
};

/** Remedies by code, for problems whose detail has none. */
const REMEDIES: Readonly<Record<string, string>> = {
  store_unavailable: 'Try again in a moment. If the problem persists, tell the operator of this server.',
  internal_error: 'Tell the operator of this server, and quote the request id.',
  scope_missing: 'Ask an owner of the account to do it, or for another role.',
  role_insufficient: 'Ask an owner of the account to do it, or for another role.',
  balance_insufficient: 'Ask the operator of this server to add credit to the account.',
  credit_limit_reached: 'Pay open invoices, or ask the operator of this server for a higher limit.',
  cross_site_request: 'Open the dashboard at its own address, not inside another page.',
};

/** Puts an error into words. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof CallError) return describeCall(error);
  if (!(error instanceof RestCallError)) {
    return { text: error instanceof Error ? error.message : 'The page failed.', fields: {} };
  }
  const { failure } = error;
  switch (failure.kind) {
    case 'problem': {
      const { problem, code } = failure;
      const seconds = retryAfterSeconds(error);
      const remedy = REMEDIES[code] ?? (seconds === undefined ? undefined : `Try again in ${seconds} s.`);
      return {
        text: COSTS.has(code) ? describeCost(problem) : problem.detail,
        requestId: problem.request_id,
        fields: readFields(problem.errors),
        ...(remedy !== undefined && !problem.detail.toLowerCase().includes('try again') && { remedy }),
      };
    }
    default:
      return describeTransport(failure.kind);
  }
}

/** Describes a failed call of a ledger method. */
function describeCall({ failure }: CallError): DescribedError {
  switch (failure.kind) {
    case 'rpc':
      return { text: `${failure.message} (${failure.code}).`, fields: {} };
    case 'http':
      return { text: `The network answered with HTTP status ${failure.status}.`, fields: {} };
    case 'closed':
      return {
        text: `The server closed the connection: ${failure.reason}.`,
        remedy: 'Try again.',
        fields: {},
      };
    default:
      return describeTransport(failure.kind);
  }
}

function describeTransport(kind: string): DescribedError {
  switch (kind) {
    case 'network':
      return {
        text: 'The server could not be reached.',
        remedy: 'Check your connection, then try again.',
        fields: {},
      };
    case 'timeout':
      return { text: 'The server did not answer in time.', remedy: 'Try again.', fields: {} };
    case 'aborted':
      return { text: 'Stopped.', fields: {} };
    default:
      return {
        text: 'This page does not understand the answer of the server.',
        remedy: 'Reload the page: the server may have been updated.',
        fields: {},
      };
  }
}

const COSTS: ReadonlySet<string> = new Set(['balance_insufficient', 'credit_limit_reached']);

/** Describes the cost of a request and the available amount, in dollars instead of micro-USD. */
function describeCost({ required, available, detail }: Readonly<Record<string, unknown>>): string {
  if (typeof required !== 'number' || typeof available !== 'number') return String(detail);
  return `This costs ${formatMicroUsd(required)}, and ${formatMicroUsd(available)} is available. Nothing was done.`;
}

function readFields(errors: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(errors)) return {};
  return Object.fromEntries(
    errors.flatMap((entry: { readonly pointer?: unknown; readonly detail?: unknown }) =>
      typeof entry.pointer === 'string' && typeof entry.detail === 'string'
        ? [[entry.pointer, entry.detail]]
        : [],
    ),
  );
}
