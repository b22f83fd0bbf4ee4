import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER } from '../../text.ts';

/** ledger/client.ts: one typed function per method, over fetch. */
export const renderClient = (_: LedgerModel): Files => ({
  'ledger/client.ts': `${HEADER}import { ERRORS, type ErrorNameWith } from '../errors.ts';
import { CallError, type ClientOptions, createRpcCall } from '../../runtime/rpc-call.ts';
import { DECODERS } from './decoders.ts';
import type { MethodName } from './methods.ts';
import type { MethodParams, MethodResults } from './types.ts';

export { CallError, type CallFailure, type ClientOptions } from '../../runtime/rpc-call.ts';

/**
 * The methods as functions, with the documentation of \`MethodParams\`. u64, i64 and usize are returned as bigint; params take either. They
 * throw CallError.
 */
export type LedgerClient = { readonly [M in keyof MethodParams]: ClientCall<M> };

export type ClientCall<M extends MethodName> = (...params: MethodParams[M]) => Promise<MethodResults[M]>;

/** A client of one endpoint; it runs wherever fetch does. */
export const createLedgerClient = (options: ClientOptions): LedgerClient => {
  const send = createRpcCall(options);
  const method =
    <M extends MethodName>(name: M): ClientCall<M> =>
    async (...params) =>
      DECODERS[name](await send(name, params)) as MethodResults[M];
  const names = Object.keys(DECODERS) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, method(name)])) as LedgerClient;
};

/** The catalogue's name of the error that a call failed with; undefined when it is no JSON-RPC error of the catalogue. */
export const errorNameOf = (error: unknown): RpcErrorName | undefined => {
  if (!(error instanceof CallError) || error.failure.kind !== 'rpc') return undefined;
  const { code, message } = error.failure;
  return ERROR_NAMES.find((name) => ERRORS[name].jsonrpc.code === code && matches(message, ERRORS[name].jsonrpc.message));
};

type RpcErrorName = ErrorNameWith<'jsonrpc'>;

const ERROR_NAMES = (Object.keys(ERRORS) as (keyof typeof ERRORS)[])
  .filter((name): name is RpcErrorName => 'jsonrpc' in ERRORS[name])
  .sort((a, b) => literalLength(b) - literalLength(a));

/** Templates with more text of their own are tried first. */
function literalLength(name: RpcErrorName): number {
  return ERRORS[name].jsonrpc.message.replace(/\\{\\w+\\}/g, '').length;
}

const matches = (message: string, template: string): boolean =>
  new RegExp(\`^\${template.split(/\\{\\w+\\}/).map((part) => part.replace(/[.*+?^\${}()|[\\]\\\\]/g, '\\\\$&')).join('.*')}$\`, 's').test(message);
`,
});
