import { createClient } from '@redis/client';

const CONNECT_MS = 5_000;

/** Deletes every key that begins with a prefix. @throws Error of the client. */
export async function clearRedis(url: string, prefix: string): Promise<void> {
  const client = createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } });
  let failure: unknown;
  client.on('error', (error) => {
    failure = error;
  });
  await client.connect();
  try {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*` }))
      if (keys.length > 0) await client.del(keys);
  } finally {
    client.destroy();
  }
  if (failure !== undefined) throw failure;
}
