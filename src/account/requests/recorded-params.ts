import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { and, eq, gt } from '../../store/drizzle.ts';
import { announce } from '../../store/follow-store.ts';
import type { Store } from '../../store/open-store.ts';
import { requestLogs } from '../../store/request-tables.ts';

/** Channel that notifies processes of accounts whose params are kept from now on, or no longer: the id of an account. */
export const PARAMS_CHANNEL = 'keyslot_request_params';

/** Milliseconds for which the params of an account's ledger calls are kept once an operator has turned that on. */
export const PARAMS_KEPT_MS = 3_600_000;

/** The accounts whose params are kept, in memory. */
export class RecordedParams {
  readonly #untilMs = new Map<string, number>();

  /** True if the params of an account's ledger calls are to be kept now. */
  has(accountId: string, nowMs: number): boolean {
    return this.#untilMs.size > 0 && nowMs < (this.#untilMs.get(accountId) ?? 0);
  }

  /** Keeps them until an instant; undefined: no longer. */
  put(accountId: string, untilMs: number | undefined): void {
    if (untilMs === undefined) this.#untilMs.delete(accountId);
    else this.#untilMs.set(accountId, untilMs);
  }
}

/** Reads the accounts whose params are kept into memory: all, or one. */
export async function readRecordedParams(
  { db }: Pick<Store, 'db'>,
  recorded: RecordedParams,
  nowMs: number,
  accountId?: string,
): Promise<void> {
  const ofAccount = accountId === undefined ? undefined : eq(requestLogs.accountId, accountId);
  const rows = await db
    .select({ id: requestLogs.accountId, until: requestLogs.paramsUntil })
    .from(requestLogs)
    .where(and(ofAccount, gt(requestLogs.paramsUntil, new Date(nowMs))));
  if (accountId !== undefined) recorded.put(accountId, undefined);
  for (const { id, until } of rows) recorded.put(id, until?.getTime());
}

/** Keeps the params of an account's ledger calls until an instant, in every process; undefined: no longer. */
export async function setRecordedParams(
  {
    store,
    recordedParams,
    record,
  }: { readonly store: Store; readonly recordedParams: RecordedParams; readonly record: RecordChange },
  accountId: string,
  until: Date | undefined,
): Promise<void> {
  await store.transaction(async (tx) => {
    const set = { paramsUntil: until ?? null };
    await tx
      .insert(requestLogs)
      .values({ accountId, ...set })
      .onConflictDoUpdate({ target: requestLogs.accountId, set });
    await record(tx, accountId);
    await announce(tx, PARAMS_CHANNEL, accountId);
  });
  recordedParams.put(accountId, until?.getTime());
}
