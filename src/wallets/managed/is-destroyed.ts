import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';

/**
 * Whether the key of a row of `wallets` is destroyed, or that of its place below a master, as any signer of the store recorded it (see
 * src/signer/tombstones/tombstones.ts for what a fingerprint is made of). To be asked in the statement that reads the row: a destruction
 * that was acknowledged anywhere is seen.
 */
export const isDestroyed: SQL = sql`exists (
  select from signer_tombstones where fingerprint in (
    substring(sha256(convert_to('wallet' || chr(10) || wallets.id, 'UTF8')) from 1 for 16),
    substring(sha256(convert_to('child' || chr(10) || wallets.x || chr(10) || wallets.y || chr(10) || wallets.master_id, 'UTF8')) from 1 for 16)
  )
)`;
