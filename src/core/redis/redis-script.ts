import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-link.ts';

/** The keys and arguments of a script. */
export type ScriptCall = { readonly keys: string[]; readonly arguments: (string | Buffer)[] };

/** Runs a Redis script, by its digest from the first call on. Rejects with the error of the script or the client. */
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
