import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';

/**
 * True when the key of a row of `wallets`, or that of its index below a master, is destroyed, as any signer of the store recorded it (see
 * src/signer/tombstones/tombstones.ts for the contents of a fingerprint). Use it in the statement that reads the row: it then sees every
 * destruction that was acknowledged anywhere.
 */
export const isDestroyed: SQL = sql`exists (
  select from signer_tombstones where fingerprint in (
    substring(sha256(convert_to('wallet' || chr(10) || wallets.id, 'UTF8')) from 1 for 16),
    substring(sha256(convert_to('child' || chr(10) || wallets.x || chr(10) || wallets.y || chr(10) || wallets.master_id, 'UTF8')) from 1 for 16)
  )
)`;
