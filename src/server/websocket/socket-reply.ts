import { errorEntry } from '../../../generated/errors.ts';
import { stringifyJson } from '../../rpc/json.ts';
import { errorData, errorMessage, type ServiceError } from '../../base/service-error.ts';
import { errorReply } from '../../rpc/replies.ts';

/** JSON-RPC 2.0 section 5.1, Internal error: every client knows it. */
const INTERNAL_ERROR = -32603;

/**
 * Returns the error reply over a socket. An error that HTTP reports by status has no status here, and clients of nodes fail on
 * codes that nodes do not have: it is answered as an internal error with its own text, and its own code and name in the data.
 */
export function socketErrorReply(id: string, error: ServiceError): Buffer {
  const { http, jsonrpc } = errorEntry(error.code);
  if (http === 200 || jsonrpc === undefined) return errorReply(id, error);
  const own = errorData(error);
  const data = { ...(typeof own === 'object' ? own : {}), code: jsonrpc.code, name: error.code };
  const body = stringifyJson({ code: INTERNAL_ERROR, message: errorMessage(error), data });
  return Buffer.from(`{"jsonrpc":"2.0","error":${body},"id":${id}}\n`);
}
