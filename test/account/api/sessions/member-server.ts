import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionCookieName } from '../../../../src/server/rest/session-cookie.ts';
import { openStore, type Store } from '../../../../src/store/open-store.ts';
import { SILENT } from '../../../store/backends.ts';
import { type RunningKeyslot, startKeyslot } from '../../../support/keyslot.ts';
import { createDatabase } from '../../../support/postgres.ts';
import { openMembers, PASSWORD, type TestMembers } from '../live/provision-members.ts';

/** An answer that was read. */
export type Answered = {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
};

/** A server on a PostgreSQL database of its own, whose members can be made without asking it. */
export type MemberServer = AsyncDisposable & {
  readonly server: RunningKeyslot;
  readonly members: TestMembers;
  readonly databaseUrl: string;
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<Answered>;
  /** Signs in over HTTP. @returns the session token. */
  readonly enter: (email: string, more?: object) => Promise<string>;
};

export type SendOptions = {
  readonly session?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const COOKIE = sessionCookieName('http://localhost');

/** Returns the session token that an answer sets; undefined if it sets none. */
export function sessionIn({ headers }: Pick<Answered, 'headers'>): string | undefined {
  return new RegExp(`^${COOKIE}=([^;]+)`).exec(headers.getSetCookie()[0] ?? '')?.[1];
}

export type MemberServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Fills the store before the server starts. */
  readonly fill?: (store: Store) => Promise<void>;
};

export async function startMemberServer(
  postgresUrl: string,
  { env: settings = {}, fill }: MemberServerOptions = {},
): Promise<MemberServer> {
  await using stack = new AsyncDisposableStack();
  const database = await createDatabase(postgresUrl);
  stack.defer(database.drop);
  if (fill !== undefined) await fillStore(database.url, fill);
  // Receivers of webhooks are on this machine.
  const env = {
    KEYSLOT_DATABASE_URL: database.url,
    KEYSLOT_WEBHOOKS_ALLOWED_TARGETS: '127.0.0.0/8',
    ...settings,
  };
  const server = await startKeyslot({ env });
  stack.defer(server.stop);
  const members = await openMembers({ dataDir: server.dataDir, databaseUrl: database.url });
  stack.defer(members.close);
  const running = stack.move();

  async function send(method: string, path: string, options: SendOptions = {}): Promise<Answered> {
    const { session, token, body, headers } = options;
    const answer = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        ...(session === undefined ? {} : { cookie: `${COOKIE}=${session}` }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read = JSON.parse(await answer.text()) as Readonly<Record<string, unknown>>;
    const code = answer.ok ? undefined : String(read.code);
    return { status: answer.status, code, body: read, headers: answer.headers };
  }

  return {
    server,
    members,
    send,
    databaseUrl: database.url,
    enter: async (email, more = {}) => {
      const answer = await send('POST', '/account/v1/session', {
        body: { email, password: PASSWORD, ...more },
      });
      const token = sessionIn(answer);
      if (token === undefined) throw new Error(`no session: ${answer.code}`);
      return token;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function fillStore(databaseUrl: string, fill: (store: Store) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-fill-'));
  const store = await openStore({ dataDir, databaseUrl }, SILENT);
  try {
    await fill(store);
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
