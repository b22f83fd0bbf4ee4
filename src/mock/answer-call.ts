import { EXAMPLES, type Example } from '../../generated/ledger/examples.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import { stringifyJson } from '../json.ts';
import { checkCall } from '../ledger/check-call.ts';
import { openrpcDocument } from '../ledger/openrpc-document.ts';
import type { Call } from '../server/json-rpc/call.ts';
import { ServiceError, serviceError } from '../service-error.ts';

/** Where the calls are refused that only a test environment takes: nowhere. */
const ENVIRONMENT = 'localnet';

/**
 * Answers a call by the examples of the specification: by the one with the same params, or by the method's first that has a result.
 *
 * @returns the JSON text of the result.
 * @throws ServiceError what the specification refuses, and the error of an example with the same params.
 */
export function answerCall(call: Pick<Call, 'method' | 'params'>): string {
  const method = checkCall(call, ENVIRONMENT);
  if (method === 'rpc.discover') return openrpcDocument();
  const example = findExample(method, call.params);
  if (example === undefined) throw serviceError('internalError');
  if ('error' in example) throw new ServiceError(example.error, example.context);
  return stringifyJson(example.result);
}

function findExample(method: MethodName, params: unknown): Example | undefined {
  const examples = EXAMPLES[method];
  const wanted = printParams(params);
  const same = examples.find((example) => printParams(example.params) === wanted);
  return same ?? examples.find((example) => 'result' in example);
}

/** Params as text that is the same for the same call: members in order, without what is null and so means nothing. */
function printParams(params: unknown): string {
  const given = Array.isArray(params) ? params.map(inOrder) : [];
  return stringifyJson(given.slice(0, given.findLastIndex((param) => param !== null) + 1));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members
      .map(([name, member]) => [name, inOrder(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
