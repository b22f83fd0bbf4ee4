import type { Answer } from './read-step.ts';

/** The answer to a request, or why there is none. */
export type Posted = { readonly answer: Answer } | { readonly failure: string };

/** Posts a call of JSON-RPC, or a batch, in a session. Never throws; `failure` does not have the address, which holds the key. */
export async function postRpc(
  url: string,
  body: object,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
): Promise<Posted> {
  const headers = { 'content-type': 'application/json', 'keyslot-session': name };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
    const text = await answer.text();
    return { answer: JSON.parse(text) as Answer };
  } catch (error) {
    return { failure: error instanceof Error ? describeFailure(error, timeoutMs) : String(error) };
  }
}

function describeFailure({ name, cause }: Error, timeoutMs: number): string {
  if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : name;
}
