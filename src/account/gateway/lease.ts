import { eq, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { leases } from '../../store/webhook-tables.ts';

/**
 * Takes or keeps a lease: what one process alone does of those that serve on a store. It is free when the process that had it has left
 * `gateways`: when another one has seen no heartbeat of it for a minute, at once on the same machine.
 *
 * @param gatewayId this process in `gateways`.
 * @returns true if this process has it now.
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

/** Gives a lease up, if this process has it. */
export async function leaveLease({ db }: Pick<Store, 'db'>, name: string, gatewayId: string): Promise<void> {
  await db.delete(leases).where(sql`${eq(leases.name, name)} and ${eq(leases.gatewayId, gatewayId)}`);
}
