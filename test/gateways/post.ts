import { type Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The answer to a client's request. */
export type Answer = { readonly status: number; readonly body: string };

/** Sends a POST over a connection of an agent. */
export function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.once('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    sent.once('error', reject).end(body);
  });
}
