import { eq, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { leases } from '../../store/webhook-tables.ts';

/**
 * Takes or keeps a lease on work that only one process on a store does. The lease is free when its holder is no longer in `gateways`: after
 * a minute without a heartbeat, at once on the same machine.
 *
 * @param gatewayId this process in `gateways`.
 * @returns true if this process holds it now.
 */
export async function holdLease(
  { db }: Pick<Store, 'db'>,
  name: string,
  gatewayId: string,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    insert into leases (name, gateway_id) values (${name}, ${gatewayId}::uuid)
    on conflict (name) do update set gateway_id = excluded.gateway_id
    where leases.gateway_id = excluded.gateway_id or leases.gateway_id not in (select id from gateways)
    returning name`);
  return rows.length === 1;
}

/** Releases a lease, if this process holds it. */
export async function leaveLease({ db }: Pick<Store, 'db'>, name: string, gatewayId: string): Promise<void> {
  await db.delete(leases).where(sql`${eq(leases.name, name)} and ${eq(leases.gatewayId, gatewayId)}`);
}
