import { eventually } from '../../core/eventually.ts';
import { call, type RpcTarget } from './json-rpc.ts';

export type Level = 'processed' | 'confirmed' | 'finalized';
export type Landed = { readonly slot: number; readonly err: unknown };

const RANK: Readonly<Record<Level, number>> = { processed: 0, confirmed: 1, finalized: 2 };

type Status = Landed & { readonly confirmationStatus: Level };

/**
 * Polls getSignatureStatuses until every transaction has reached the level, and returns where each landed. A failed transaction counts as
 * landed, with its `err`.
 */
export async function confirmAll(
  target: RpcTarget,
  signatures: readonly string[],
  level: Level = 'confirmed',
): Promise<readonly Landed[]> {
  return await eventually(`${signatures.join(', ')} ${level}`, async () => {
    const { value } = (await call(target, 'getSignatureStatuses', [signatures])) as {
      value: readonly (Status | null)[];
    };
    const reached = value.filter(
      (status): status is Status => status !== null && RANK[status.confirmationStatus] >= RANK[level],
    );
    return reached.length === signatures.length ? reached : undefined;
  });
}

/**
 * Like `confirmAll`, for one transaction that must succeed.
 * @returns the slot it landed in.
 * @throws Error with the transaction's error when it failed.
 */
export async function confirm(
  target: RpcTarget,
  signature: string,
  level: Level = 'confirmed',
): Promise<number> {
  const [landed] = await confirmAll(target, [signature], level);
  if (landed === undefined) throw new Error(`no status for ${signature}`);
  if (landed.err !== null) throw new Error(`${signature} failed: ${JSON.stringify(landed.err)}`);
  return landed.slot;
}
