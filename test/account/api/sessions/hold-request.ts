import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { sessionCookieName } from '../../../../src/server/rest/session-cookie.ts';

/** Longer than a request may be under way before its sender is looked up again. */
const HELD_MS = 200;

/** Sends the head of a POST with a session. @returns what sends its body, and answers the status. */
export function holdRequest(
  baseUrl: string,
  path: string,
  session: string,
  body: object,
): { readonly complete: () => Promise<number | undefined> } {
  const text = JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const held = request(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      cookie: `${sessionCookieName('http://localhost')}=${session}`,
      'content-type': 'application/json',
      'content-length': String(text.length),
    },
  });
  held.on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  held.on('error', reject);
  held.flushHeaders();
  return {
    complete: async () => {
      await setTimeout(HELD_MS);
      held.end(text);
      return promise;
    },
  };
}
