import type pg from 'pg';
import { serviceError } from '../../base/service-error.ts';
import { DEADLINES } from '../deadlines.ts';
import type { Backend } from '../backend.ts';
import { StoreClient } from '../store-client.ts';

const MAX_CONNECTIONS = 10;

/**
 * Returns the PostgreSQL server at `KEYSLOT_DATABASE_URL`. Connects only on demand.
 * @throws ServiceError storeUnavailable when the address is invalid; the error does not repeat it.
 */
export function openPostgres(databaseUrl: string): Backend {
  const address = readAddress(databaseUrl);
  return {
    kind: 'postgres',
    where: `PostgreSQL ${address.user ?? ''}@${address.host}:${address.port}/${address.database ?? ''}`,
    Client: StoreClient,
    clientConfig: {
      connectionString: databaseUrl,
      application_name: 'keyslot',
      connectionTimeoutMillis: DEADLINES.connectMs,
      // The server gives up first, so that it does not keep working for a client that left.
      statement_timeout: DEADLINES.queryMs - 1_000,
      query_timeout: DEADLINES.queryMs,
      idle_in_transaction_session_timeout: DEADLINES.queryMs,
      keepAlive: true,
    },
    maxConnections: MAX_CONNECTIONS,
    close: () => Promise.resolve(),
  };
}

/** Parses it as the driver does. The driver's error quotes the address with the password and is therefore dropped. */
function readAddress(databaseUrl: string): Pick<pg.Client, 'user' | 'host' | 'port' | 'database'> {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : '';
  if (!['postgres:', 'postgresql:'].includes(url)) throw unreadable();
  try {
    return new StoreClient({ connectionString: databaseUrl });
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message) : unreadable();
  }
}

function unreadable(
  reason = 'not an address of the form postgres://user:password@host:5432/database',
): Error {
  return serviceError('storeUnavailable', { where: 'KEYSLOT_DATABASE_URL', reason, fault: 'unreachable' });
}
