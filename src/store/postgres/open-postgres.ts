import type pg from 'pg';
import { serviceError } from '../../core/service-error.ts';
import { DEADLINES } from '../deadlines.ts';
import type { Backend } from '../backend.ts';
import { readDeadline, StoreClient } from '../store-client.ts';

const MAX_CONNECTIONS = 10;
const LANE_CONNECTIONS = 3;

/**
 * Returns the PostgreSQL server at `KEYSLOT_DATABASE_URL`. Connects only on demand.
 * @throws ServiceError storeUnavailable when the address is invalid; the error does not repeat it.
 */
export function openPostgres(databaseUrl: string): Backend {
  const { connectionString, deadlineMs = DEADLINES.queryMs } = takeDeadline(databaseUrl);
  const address = readAddress(connectionString);
  return {
    kind: 'postgres',
    where: `PostgreSQL ${address.user ?? ''}@${address.host}:${address.port}/${address.database ?? ''}`,
    Client: StoreClient,
    clientConfig: {
      connectionString,
      application_name: 'keyslot',
      connectionTimeoutMillis: DEADLINES.connectMs,
      // The server gives up first, so that it does not keep working for a client that has disconnected.
      statement_timeout: DEADLINES.queryMs - 1_000,
      query_timeout: deadlineMs,
      idle_in_transaction_session_timeout: DEADLINES.queryMs,
      keepAlive: true,
    },
    maxConnections: MAX_CONNECTIONS,
    connectionsPerLane: LANE_CONNECTIONS,
    close: () => Promise.resolve(),
  };
}

/**
 * Removes `query_timeout` from an address: the client has its own deadline, and the driver must have no other.
 * @throws ServiceError storeUnavailable unless it is a deadline.
 */
function takeDeadline(databaseUrl: string) {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const given = url?.searchParams.get('query_timeout') ?? undefined;
  if (url === undefined || given === undefined) return { connectionString: databaseUrl };
  url.searchParams.delete('query_timeout');
  try {
    return { connectionString: url.href, deadlineMs: readDeadline(given) };
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}

/** Parses it as the driver does. The driver's error quotes the address with the password and is therefore dropped. */
function readAddress(connectionString: string): Pick<pg.Client, 'user' | 'host' | 'port' | 'database'> {
  const url = URL.canParse(connectionString) ? new URL(connectionString).protocol : '';
  if (!['postgres:', 'postgresql:'].includes(url)) throw unreadable();
  try {
    return new StoreClient({ connectionString });
  } catch {
    throw unreadable();
  }
}

function unreadable(
  reason = 'not an address of the form postgres://user:password@host:5432/database',
): Error {
  return serviceError('storeUnavailable', { where: 'KEYSLOT_DATABASE_URL', reason, fault: 'unreachable' });
}
