import { ERRORS } from '../../../generated/errors.ts';
import { stringifyJson } from '../../json.ts';
import { errorData, errorMessage, type ServiceError } from '../../service-error.ts';

/** A JSON-RPC success reply around the JSON text of a result; `id` is the client's raw token. Ends with a newline. */
export function resultReply(id: string, json: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","result":${json},"id":${id}}\n`);
}

/** A JSON-RPC error reply: the catalogue's code, the public text and data, never the internal cause. */
export function errorReply(id: string, error: ServiceError): Buffer {
  const { code } = ERRORS[error.code].jsonrpc;
  const body = stringifyJson({ code, message: errorMessage(error), data: errorData(error) });
  return Buffer.from(`{"jsonrpc":"2.0","error":${body},"id":${id}}\n`);
}
