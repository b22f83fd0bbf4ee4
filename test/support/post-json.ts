/** The answer to a POST: its status, its body as JSON, and its cookie. */
export type Posted = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly cookie: string | undefined;
};

/** Posts a body as JSON. */
export async function postJson(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  return { status: answer.status, body: (await answer.json()) as Posted['body'], cookie };
}
