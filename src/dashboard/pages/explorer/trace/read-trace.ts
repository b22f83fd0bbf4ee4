import type { TransactionTrace } from '../../../../../generated/localnet/types.ts';
import { CallError } from '../../../../../runtime/call-error.ts';
import { credentials, rpcCallOf } from '../../../calls/credentials.ts';

/** A trace; null: no transaction has the signature. `notServed`: the network has no traces, with the reason. */
export type TraceReading =
  | { readonly kind: 'trace'; readonly trace: TransactionTrace | null }
  | { readonly kind: 'notServed'; readonly reason: string };

const METHOD_NOT_FOUND = -32601;

/** Asks a network to explain a transaction. Throws CallError, or RestCallError for a session that has ended. */
export async function readTrace(rpcPath: string, signature: string): Promise<TraceReading> {
  await credentials.read();
  const call = await rpcCallOf(rpcPath);
  try {
    return { kind: 'trace', trace: (await call('localnet_trace', [signature])) as TransactionTrace | null };
  } catch (error) {
    if (!(error instanceof CallError) || error.failure.kind !== 'rpc') throw error;
    const { code, message } = error.failure;
    if (code !== METHOD_NOT_FOUND) throw error;
    return { kind: 'notServed', reason: message.replace(/^Method not found: /, '') };
  }
}
