import { expect, test } from 'vitest';
import { createAccountClient, RestCallError } from '../../../generated/account/client.ts';

/** A client whose requests are kept, and answered with a page of no keys. */
function scripted(options: { readonly token?: string }) {
  const sent: { readonly url: string; readonly request: RequestInit | undefined }[] = [];
  const client = createAccountClient({
    url: 'https://keyslot.example',
    fetch: async (url, request) => {
      sent.push({ url: String(url), request });
      return Response.json({ keys: [] });
    },
    ...options,
  });
  return { client, sent };
}

test('a token is sent as Bearer', async () => {
  const { client, sent } = scripted({ token: 'ks_tok_any' });
  expect(await client.listKeys({ limit: 1 })).toEqual({ keys: [] });
  expect(sent).toMatchObject([
    {
      url: 'https://keyslot.example/account/v1/keys?limit=1',
      request: { method: 'GET', headers: { authorization: 'Bearer ks_tok_any' } },
    },
  ]);
  expect(sent[0]?.request).not.toHaveProperty('credentials');
});

test('without a token a browser is asked for the cookies of its own origin', async () => {
  const { client, sent } = scripted({});
  await client.listKeys();
  expect(sent[0]?.request).toMatchObject({ credentials: 'same-origin', headers: {} });
  expect(new Headers(sent[0]?.request?.headers).has('authorization')).toBe(false);
});

test('a refusal is thrown with its code', async () => {
  const client = createAccountClient({
    url: 'https://keyslot.example',
    fetch: async () =>
      Response.json(
        { code: 'session_missing' },
        { status: 401, headers: { 'content-type': 'application/problem+json' } },
      ),
  });
  const refused = await client.getSession().catch((reason: unknown) => reason);
  expect(refused).toBeInstanceOf(RestCallError);
  expect(refused).toMatchObject({ failure: { kind: 'problem', status: 401, code: 'session_missing' } });
});
