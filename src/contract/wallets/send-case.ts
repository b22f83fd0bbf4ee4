import type { RestCaseRequest } from '../../../runtime/rest-case.ts';
import { sessionCookieName } from '../../server/rest/session-cookie.ts';
import type { WalletValueName } from '../../../generated/contract/wallets/contract.ts';

/** What the server's operator gives a run: the values behind `$name`. Undefined: the run has none of this name. */
export type WalletValues<N extends string = WalletValueName> = {
  readonly value: (name: N) => Promise<string | undefined>;
};

/** Thrown where a case needs a value that the run has not. */
export class MissingValue extends Error {
  override readonly name = 'MissingValue';
}

const DEADLINE_MS = 60_000;

/** Fills the values of the run into a request. @throws MissingValue. */
export async function fillRequest<N extends string>(
  request: RestCaseRequest,
  values: WalletValues<N>,
): Promise<RestCaseRequest> {
  return (await fill(request, values)) as RestCaseRequest;
}

/** Sends a request whose values are filled in. */
export async function sendRequest(baseUrl: string, request: RestCaseRequest): Promise<Response> {
  const { method, path, headers, body, text, bytes } = request;
  const content =
    bytes !== undefined
      ? Buffer.from(bytes, 'hex')
      : (text ?? (body === undefined ? undefined : JSON.stringify(body)));
  return await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...credentialsOf(baseUrl, request), ...headers },
    ...(content === undefined ? {} : { body: content }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

/** The header fields with the token and the session of a request. */
export function credentialsOf(
  baseUrl: string,
  { token, session = 'none' }: RestCaseRequest,
): Readonly<Record<string, string>> {
  const cookie = `${sessionCookieName(baseUrl)}=${session}`;
  return {
    ...(token === 'none' ? {} : { Authorization: `Bearer ${token}` }),
    ...(session === 'none' ? {} : { Cookie: cookie }),
  };
}

async function fill<N extends string>(value: unknown, values: WalletValues<N>): Promise<unknown> {
  if (typeof value === 'string') return await fillText(value, values);
  if (Array.isArray(value)) return await Promise.all(value.map((item) => fill(item, values)));
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value && 'times' in value) return String(value.$repeat).repeat(Number(value.times));
  const members: (readonly [string, unknown])[] = [];
  for (const [name, member] of Object.entries(value)) members.push([name, await fill(member, values)]);
  return Object.fromEntries(members);
}

/** Values stand alone, or as a step of a path. */
async function fillText<N extends string>(text: string, values: WalletValues<N>): Promise<string> {
  const name = /(?:^|\/)\$(\w+)/.exec(text)?.[1];
  if (name === undefined) return text;
  const found = await values.value(name as N);
  if (found === undefined) throw new MissingValue(`the run has no $${name}`);
  return text.replace(`$${name}`, () => found);
}
