import { once } from 'node:events';
import { request } from 'node:http';

export type Target = { readonly baseUrl: string; readonly token: string };

/** The time of a stream until its first bytes and until its end. */
export type StreamTime = { readonly firstMs: number; readonly wholeMs: number };

const NEWLINE = 0x0a;

/** Reads a stream of wallets to its end and counts them. @throws Error where they are not as many as wanted. */
export async function timeStream(
  { baseUrl, token }: Target,
  { path, body, wallets }: { readonly path: string; readonly body: object; readonly wallets: number },
): Promise<StreamTime> {
  const beganMs = performance.now();
  const call = request(baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  call.end(JSON.stringify(body));
  const [answer] = await once(call, 'response');
  let [lines, firstMs] = [0, 0];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (firstMs === 0) firstMs = performance.now() - beganMs;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  if (lines !== wallets) throw new Error(`${path}: ${lines} wallets instead of ${wallets}`);
  return { firstMs, wholeMs: performance.now() - beganMs };
}
