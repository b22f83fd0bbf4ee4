import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDashboard } from '../../src/server/pages/dashboard/dashboard-routes.ts';

/** A login of the scripted account service. */
export type ScriptedLogin = {
  readonly email: string;
  readonly password: string;
  /** The code of its second factor; absent: it has none. */
  readonly code?: string;
  readonly scopes: readonly string[];
  /** Answers of operations that the script does not know, by method and path, such as `GET /invoices`. */
  readonly answers?: Readonly<Record<string, unknown>>;
};

export type ScriptedAccount = {
  readonly url: string;
  /** The requests to the account service, in order. */
  readonly requests: readonly { readonly operation: string; readonly body: unknown }[];
  /** Adds a key that another client made. */
  readonly addKey: (name: string) => void;
  /** Ends the session, as a timeout would. */
  readonly endSession: () => void;
  readonly close: () => Promise<void>;
};

type Answer = { readonly status: number; readonly body: unknown; readonly cookie?: string };
type Row = { [member: string]: unknown };

const NOW = '2026-11-24T09:30:00.000Z';
/** The answers that the overview reads of an account that has used nothing. */
const SHOWN: Readonly<Record<string, unknown>> = {
  'GET /account': {
    account_id: 'a1',
    name: 'Acme',
    billing: 'prepaid',
    plan: { name: 'developer', requests_per_second: 100, burst: 500 },
    wallet_create_limit: { requests: 1_000, window_seconds: 60, remaining: 1_000, reset_seconds: 0 },
    wallet_use_limit: { requests: 100, window_seconds: 1, remaining: 100, reset_seconds: 0 },
  },
  'GET /usage': { since: NOW, by: 'method', rows: [] },
  'GET /usage/wallets': { since: NOW, by: 'operation', rows: [] },
  'GET /webhooks': { webhooks: [] },
  'GET /availability': {
    target_percent: '99.9500',
    service_credits: [{ below_percent: '99.9500', credit_percent: 10 }],
    current: {
      month: '2026-11',
      availability_percent: '100.0000',
      minutes: 34_000,
      unavailable_minutes: '0',
      planned_minutes: 0,
      credit_percent: 0,
    },
    error_budget: {
      allowed_minutes: '21.6',
      used_minutes: '0',
      left_minutes: '21.6',
      left_percent: '100.0000',
    },
    history: [],
    planned_work: [],
  },
  'GET /networks': {
    networks: [
      {
        name: 'solana',
        environment: 'localnet',
        rpc_path: '/solana-localnet',
        state: 'ready',
        nodes: 1,
        reachable_nodes: 1,
        versions: ['4.4.0'],
        slot_ms: 400,
        spans: (['hour', 'day', 'month'] as const).map((span) => ({
          span,
          since: NOW,
          calls: 0,
          errors: 0,
          own: { calls: 0, errors: 0, caller_errors: 0, refused: 0 },
        })),
      },
    ],
  },
};
export const SETUP_TOKEN = 'ks_set_1';

const problem = (status: number, code: string, detail: string): Answer => ({
  status,
  body: { type: `urn:keyslot:error:${code}`, title: code, status, detail, code, request_id: 'req_scripted' },
});

/** Serves the built page, and the operations that it calls from memory: the session contract as far as the page uses it. */
export async function startScriptedAccount(login: ScriptedLogin): Promise<ScriptedAccount> {
  const dashboard = createDashboard({ baseUrlOf: (request) => `http://${request.headers.host}` });
  const state = { isSignedIn: false };
  const lists: Record<'keys' | 'tokens', Row[]> = { keys: [], tokens: [] };
  const requests: { operation: string; body: unknown }[] = [];

  const session = () => ({
    member: { member_id: 'm1', email: login.email, name: 'Ann', role: 'owner' },
    account: { account_id: 'a1', name: 'Acme' },
    accounts: [{ account_id: 'a1', name: 'Acme', role: 'owner' }],
    scopes: login.scopes,
    expires_at: NOW,
    has_second_factor: login.code !== undefined,
    backup_codes_left: 8,
    networks: [{ name: 'solana', environment: 'localnet', rpc_path: '/solana-localnet' }],
    grpc_url: 'https://grpc.example',
    operates: false,
  });

  const signIn = ({ email, password, code }: Row): Answer => {
    if (email !== login.email || password !== login.password)
      return problem(401, 'sign_in_failed', 'The email or the password is wrong.');
    if (login.code !== undefined && code === undefined)
      return problem(401, 'second_factor_required', 'Send the current code of the second factor.');
    if (login.code !== undefined && code !== login.code)
      return problem(
        401,
        'second_factor_invalid',
        'The code is wrong or was already used; send the current one.',
      );
    state.isSignedIn = true;
    return { status: 201, body: session(), cookie: 'keyslot_session=1; HttpOnly; SameSite=Strict; Path=/' };
  };

  const addKey = (body: Row): Answer => {
    const key = {
      key_id: randomUUID(),
      prefix: `ks_key_${lists.keys.length}`,
      state: 'active',
      allowed_origins: [],
      allowed_cidrs: [],
      allowed_networks: [],
      allowed_methods: [],
      created_at: NOW,
      ...body,
    };
    lists.keys.unshift(key);
    return { status: 201, body: { ...key, api_key: `${key.prefix}secret` } };
  };

  const rotate = (id: string, { overlap_seconds = 86_400 }: Row): Answer => {
    const old = lists.keys.find(({ key_id }) => key_id === id) ?? {};
    Object.assign(old, overlap_seconds === 0 ? { state: 'expired' } : { state: 'rotated', expires_at: NOW });
    const { body } = addKey({ name: old.name });
    return { status: 201, body: { ...(body as Row), old_key_id: id, old_expires_at: NOW } };
  };

  const addToken = (body: Row): Answer => {
    const token = { token_id: randomUUID(), prefix: 'ks_tok_1', state: 'active', created_at: NOW, ...body };
    lists.tokens.unshift(token);
    return { status: 201, body: { ...token, access_token: 'ks_tok_1secret' } };
  };

  const revoke = (kind: 'keys' | 'tokens', id: string): Answer => {
    const row = lists[kind].find((each) => each.key_id === id || each.token_id === id) ?? {};
    Object.assign(row, { state: 'revoked', revoked_at: NOW });
    return { status: 200, body: row };
  };

  const page = (kind: 'keys' | 'tokens', query: URLSearchParams): Answer => {
    const from = Number(query.get('cursor') ?? 0);
    const to = from + Number(query.get('limit'));
    const next = to < lists[kind].length ? { next_cursor: String(to) } : {};
    return { status: 200, body: { [kind]: lists[kind].slice(from, to), ...next } };
  };

  const answer = (method: string, { pathname, searchParams }: URL, body: Row): Answer => {
    const operation = `${method} ${pathname.replace('/account/v1', '')}`;
    requests.push({ operation, body });
    if (operation === 'POST /session') return signIn(body);
    if (operation === 'POST /setup-links/accept')
      return body.setup_token === SETUP_TOKEN
        ? { status: 200, body: { member_id: 'm1', account_id: 'a1', role: 'owner' } }
        : problem(
            410,
            'setup_link_invalid',
            'The link was used or has expired; ask the operator for a new one.',
          );
    if (operation === 'POST /password-resets') return problem(501, 'mail_not_configured', 'No mail.');
    if (!state.isSignedIn) return problem(401, 'session_missing', 'Sign in first.');
    const [kind = '', id = '', verb] = pathname.split('/').slice(3);
    if (operation === 'GET /session') return { status: 200, body: session() };
    const read = login.answers?.[operation] ?? SHOWN[operation];
    if (read !== undefined) return { status: 200, body: read };
    if (operation === 'DELETE /session') {
      state.isSignedIn = false;
      return { status: 200, body: {} };
    }
    if (kind === 'keys' || kind === 'tokens') {
      if (method === 'GET') return page(kind, searchParams);
      if (method === 'DELETE') return revoke(kind, id);
      if (verb === 'rotate') return rotate(id, body);
      return kind === 'keys' ? addKey(body) : addToken(body);
    }
    return problem(404, 'not_found', 'Nothing is served at this path.');
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://scripted');
    if (!url.pathname.startsWith('/account/v1/')) return void (await dashboard(request, response));
    const { status, body, cookie } = answer(request.method ?? '', url, await readJson(request));
    response.writeHead(status, {
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    addKey: (name) => void addKey({ name }),
    endSession: () => {
      state.isSignedIn = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<Row> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}
