import type { Example } from '../../generated/ledger/example.ts';
import { EXAMPLES } from '../../generated/ledger/examples.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import { stringifyJson } from '../rpc/json.ts';
import { withSameParams } from './same-params.ts';
import { checkCall } from '../ledger/check-call.ts';
import { openrpcDocument } from '../ledger/openrpc-document.ts';
import type { Call } from '../rpc/call.ts';
import { ServiceError, serviceError } from '../base/service-error.ts';

/** The environment of the mock: it refuses none of the calls that only test environments take. */
const ENVIRONMENT = 'localnet';

/**
 * Answers a call from the examples of the specification: the one with the same params, or the method's first one with a result.
 *
 * @param address the mock's own address, for the document that contains it.
 * @returns the JSON text of the result.
 * @throws ServiceError a refusal by the specification, or the error of an example with the same params.
 */
export function answerCall(call: Pick<Call, 'method' | 'params'>, address?: string): string {
  const method = checkCall(call, ENVIRONMENT, { hasNode: false });
  if (method === 'rpc.discover') return openrpcDocument(address === undefined ? [] : [address]);
  const example = findExample(method, call.params);
  if (example === undefined) throw serviceError('internalError');
  if ('error' in example) throw new ServiceError(example.error, example.context);
  return stringifyJson(example.result);
}

function findExample(method: MethodName, params: unknown): Example | undefined {
  const examples = EXAMPLES[method];
  return withSameParams(examples, params) ?? examples.find((example) => 'result' in example);
}
