import { sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';

/** When an API key or an access token was last used, and the address that the request came from, if it is known. */
export type LastUse = { readonly at: Date; readonly address: string | undefined };

type Row = { readonly id: string; readonly used_at: string; readonly address: string | null };

/**
 * Stores uses of stored keys and tokens, not those of sessions; uses older than the stored one are ignored. An id must not appear twice.
 */
export async function writeKeyUses(
  { db }: Pick<Store, 'db'>,
  uses: readonly { readonly id: string; readonly atMs: number; readonly address: string | undefined }[],
): Promise<void> {
  await db.execute(sql`
    insert into key_uses (id, used_at, address)
    select * from unnest(
      ${sql.param(uses.map(({ id }) => id))}::uuid[],
      ${sql.param(uses.map(({ atMs }) => new Date(atMs).toISOString()))}::timestamptz[],
      ${sql.param(uses.map(({ address }) => address ?? null))}::text[]
    ) as used (id, used_at, address)
    where exists (select from api_keys where id = used.id) or exists (select from access_tokens where id = used.id)
    order by id
    on conflict (id) do update set used_at = excluded.used_at, address = excluded.address
    where key_uses.used_at <= excluded.used_at`);
}

/**
 * Returns when keys or tokens were last used, by id; those that were never used are left out. A connection that is open for long counts by
 * the minutes in which it made calls or was pushed messages.
 */
export async function readKeyUses(
  { db }: Pick<Store, 'db'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LastUse>> {
  const { rows } = await db.execute<Row>(sql`
    select ids.id, greatest(used_at, minute) as used_at, address
    from unnest(${sql.param(ids)}::uuid[]) as ids (id)
    left join key_uses u on u.id = ids.id
    left join lateral (select max(minute) as minute from usage_minutes where key_id = ids.id) m on true
    where used_at is not null or minute is not null`);
  return new Map(
    rows.map(({ id, used_at: at, address }) => [id, { at: new Date(at), address: address ?? undefined }]),
  );
}
