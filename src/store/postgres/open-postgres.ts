import type pg from 'pg';
import { serviceError } from '../../base/service-error.ts';
import { DEADLINES } from '../deadlines.ts';
import type { Backend } from '../backend.ts';
import { StoreClient } from '../store-client.ts';

const MAX_CONNECTIONS = 10;

/**
 * A PostgreSQL server behind `KEYSLOT_DATABASE_URL`. Connects only when asked to.
 * @throws ServiceError storeUnavailable when the address cannot be read; it is not repeated in the error.
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
      // The server gives up first, so that it does not work on for a client that left.
      statement_timeout: DEADLINES.queryMs - 1_000,
      query_timeout: DEADLINES.queryMs,
      idle_in_transaction_session_timeout: DEADLINES.queryMs,
      keepAlive: true,
    },
    maxConnections: MAX_CONNECTIONS,
    close: () => Promise.resolve(),
  };
}

/** As the driver itself will read it. Its error quotes the address with the password and is dropped for that. */
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
