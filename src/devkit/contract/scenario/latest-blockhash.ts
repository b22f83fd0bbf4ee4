import { call, type RpcTarget } from '../json-rpc.ts';

/** The latest blockhash at a commitment. */
export async function latestBlockhash(target: RpcTarget, commitment = 'confirmed'): Promise<string> {
  const { value } = (await call(target, 'getLatestBlockhash', [{ commitment }])) as {
    value: { blockhash: string };
  };
  return value.blockhash;
}
