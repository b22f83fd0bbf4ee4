import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-link.ts';

/** The keys that a script uses, and what it is given. */
export type ScriptCall = { readonly keys: string[]; readonly arguments: (string | Buffer)[] };

/** Runs a script of Redis, which knows it by its digest from its first call on. Rejects with what the script or the client throws. */
export type RedisScript = (client: RedisClient, call: ScriptCall) => Promise<unknown>;

/** Makes a script callable. */
export function createRedisScript(text: string): RedisScript {
  const sha1 = createHash('sha1').update(text).digest('hex');
  return async (client, call) => {
    try {
      return await client.evalSha(sha1, call);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await client.eval(text, call);
    }
  };
}
