import { createClient } from '@redis/client';
import type { Check } from '../finding.ts';

const part = 'redis';
const DEADLINE_MS = 3_000;

/** Checks that Redis, which servers share limits through, answers. */
export const checkRedis: Check = async ({ config: { redis } }) => {
  if (redis.url === undefined)
    return {
      part,
      state: 'skipped',
      detail: 'not configured: each server applies limits on its own, which is fine for a single one',
    };
  const { hostname, port } = new URL(redis.url);
  const named = `${hostname}:${port || 6379}`;
  const client = createClient({
    url: redis.url,
    commandOptions: { timeout: DEADLINE_MS },
    socket: { connectTimeout: DEADLINE_MS, reconnectStrategy: false },
  });
  client.on('error', ignore);
  try {
    await client.connect();
    await client.ping();
    return { part, state: 'ok', detail: `${named} answers` };
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error ? String(error.code) : 'no answer, or the login is refused';
    return {
      part,
      state: 'wrong',
      detail: `${named}: ${reason}`,
      remedy: 'start it, and check address, password and firewall; meanwhile redis.limits_when_lost applies',
    };
  } finally {
    if (client.isOpen) client.destroy();
  }
};

function ignore(): void {
  // The failed call is reported.
}
