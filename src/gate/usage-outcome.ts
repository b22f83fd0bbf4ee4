import { errorEntry } from '../../generated/errors.ts';
import { toServiceError } from '../base/service-error.ts';
import { codeOf, NODE_FAULTS } from '../upstream/pool/judge-reply.ts';
import type { Ended } from './count-runs.ts';

/**
 * The outcome of a served call: answered; `error`: this server or a ledger node failed to answer; `callerError`: answered with an error
 * about the call itself, such as an unknown method, wrong parameters or a block that does not exist.
 */
export type ServedOutcome = 'ok' | 'error' | 'callerError';

/** Returns how a call ended that its client has not given up. */
export function servedOutcomeOf(ended: Ended): ServedOutcome {
  if (ended.kind === 'failure') return outcomeOfError(ended.error);
  if (ended.kind !== 'whole' || !ended.isError) return 'ok';
  return NODE_FAULTS.has(codeOf(ended.body)) ? 'error' : 'callerError';
}

/** Returns whose fault an error is. */
export function outcomeOfError(error: unknown): 'error' | 'callerError' {
  const { area, http = 500, jsonrpc } = errorEntry(toServiceError(error).code);
  const isOurs =
    area === 'upstream' || http >= 500 || (jsonrpc !== undefined && NODE_FAULTS.has(jsonrpc.code));
  return isOurs ? 'error' : 'callerError';
}
