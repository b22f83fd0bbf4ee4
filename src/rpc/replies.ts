import { errorEntry } from '../../generated/errors.ts';
import { stringifyJson } from './json.ts';
import { errorData, errorMessage, type ServiceError, serviceError } from '../base/service-error.ts';

/** Returns a JSON-RPC success reply around the JSON text of a result; `id` is the client's raw token. Ends with a newline. */
export function resultReply(id: string, json: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","result":${json},"id":${id}}\n`);
}

/**
 * Returns a JSON-RPC error reply: the catalogue's code, the public text and data, never the internal cause. An error without a
 * JSON-RPC form is answered as internalError.
 */
export function errorReply(id: string, error: ServiceError): Buffer {
  const form = errorEntry(error.code).jsonrpc;
  if (form === undefined) return errorReply(id, serviceError('internalError', {}, error));
  const { code } = form;
  const body = stringifyJson({ code, message: errorMessage(error), data: errorData(error) });
  return Buffer.from(`{"jsonrpc":"2.0","error":${body},"id":${id}}\n`);
}
