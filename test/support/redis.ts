import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';

const LOCAL = 'redis://127.0.0.1:6379';

/** The note of a suite that is skipped for want of Redis. */
export const REDIS_MISSING = 'needs Redis: apt-get install redis-server, or set KEYSLOT_TEST_REDIS_URL';

/** Returns the URL of the Redis that tests use; undefined if there is none, which is a failure in CI. */
export async function findRedis(): Promise<string | undefined> {
  const given = process.env.KEYSLOT_TEST_REDIS_URL;
  const url = given ?? LOCAL;
  const client = createClient({ url, socket: { connectTimeout: 2_000, reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    return url;
  } catch (error) {
    if (given !== undefined || process.env.CI !== undefined) throw new Error(REDIS_MISSING, { cause: error });
    return undefined;
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** Returns what the names of a test's keys begin with. */
export function uniquePrefix(): string {
  return `keyslot-test-${randomUUID()}:`;
}
