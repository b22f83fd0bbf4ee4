import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { PLANS } from '../../generated/plans.ts';
import { createWalletClient } from '../../generated/wallets/client.ts';
import { command } from '../support/wallet-account.ts';
import { CUSTOMER_SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { Connection } from './connection.ts';
import { startScriptedNode } from './targets.ts';
import type { Target } from './wallet-stream.ts';

/**
 * This multiple of the calls goes ahead unmeasured, until V8 has compiled most of what runs: while it does, its threads take the cores from
 * those that answer, for some milliseconds at a time.
 */
const WARM_UP = 1;

/** A limit that no load reaches. */
const REQUESTS_PER_MINUTE = 1_000_000;

type Run = Target & { readonly dataDir: string };

/** A request as it goes over the wire. */
type Request = Buffer;

/** One operation, how often it is measured, and what the specification states for it. */
export type LatencyLoad = {
  readonly name: string;
  readonly statedMs: number;
  readonly times: number;
  /** Makes what a number of calls need, and gives the request of each. */
  readonly prepare: (run: Run, calls: number) => Promise<() => Request>;
};

const { latency_ms: STATED } = PLANS.service_levels;
const message = Buffer.alloc(200, 7).toString('base64');

export const LATENCY_LOADS: readonly LatencyLoad[] = [
  {
    name: 'HD create, client',
    statedMs: STATED.hd_create,
    times: 1_000,
    prepare: async ({ token }) => always(request(token, 'POST', '/v1/wallets/hd', {})),
  },
  {
    name: 'HD create, managed',
    statedMs: STATED.hd_create,
    times: 1_000,
    prepare: async ({ token }) => always(request(token, 'POST', '/v1/wallets/hd', { custody: 'managed' })),
  },
  {
    name: 'fetch',
    statedMs: STATED.fetch,
    times: 1_000,
    prepare: async (run) => always(request(run.token, 'GET', `/v1/wallets/${await managedId(run)}`)),
  },
  {
    name: 'sign',
    statedMs: STATED.sign,
    times: 1_000,
    prepare: async (run) =>
      always(request(run.token, 'POST', `/v1/wallets/${await managedId(run)}/sign`, { message })),
  },
  {
    name: 'delete',
    statedMs: STATED.delete,
    times: 1_000,
    // A code works once: each call has an account of its own.
    prepare: async (run, calls) => {
      const next: (() => Request)[] = [];
      for (let made = 0; made < calls; made += 1) next.push(await deletion(run));
      return () => next.pop()?.() ?? Buffer.alloc(0);
    },
  },
];

/** The account of a deletion, its wallet and its second factor; the code is made when it is wanted. */
async function deletion(run: Run): Promise<() => Request> {
  const { token, ask } = await newAccount(run.dataDir, '1.00');
  const path = `/v1/wallets/${await managedId({ ...run, token })}`;
  const { secret } = (await ask({ kind: 'two-factor.enrol' })) as { readonly secret: string };
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return () => request(token, 'DELETE', path, undefined, [`x-two-factor-code: ${totp.generate()}`]);
}

function always(same: Request): () => Request {
  return () => same;
}

/** Makes a managed wallet. @returns its id. */
export async function managedId({ baseUrl, token }: Target): Promise<string> {
  const wallet = await createWalletClient({ url: baseUrl, token }).createWallet({ custody: 'managed' });
  return wallet.custody === 'managed' ? wallet.wallet_id : '';
}

/** Writes a request as it goes over the wire. */
export function request(
  token: string,
  method: string,
  path: string,
  body?: object,
  fields: readonly string[] = [],
): Request {
  const text = body === undefined ? '' : JSON.stringify(body);
  const sent = body === undefined ? [] : ['content-type: application/json', `content-length: ${text.length}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${token}`];
  return Buffer.from(`${[...lines, ...sent, ...fields].join('\r\n')}\r\n\r\n${text}`);
}

/** Latencies of a server that does nothing, sorted, in milliseconds: the share of the machine and the generator. */
export async function bareLatencies(times: number): Promise<readonly number[]> {
  const bare = await startScriptedNode();
  try {
    const call = request('none', 'POST', '/', { jsonrpc: '2.0', id: 1, method: 'getBalance' });
    return await measure(always(call), times, bare.port);
  } finally {
    await bare.stop();
  }
}

/** An account of its own with money, and a token for it. */
export async function newAccount(dataDir: string, amountUsd: string) {
  const account = `bench-${randomUUID()}`;
  const ask = async (request: {
    readonly kind: string;
    readonly [member: string]: unknown;
  }): Promise<unknown> => command(dataDir, { ...request, account });
  const made = await ask({ kind: 'tokens.create', name: 'bench', scopes: CUSTOMER_SCOPES });
  await ask({ kind: 'money.credit', amountUsd });
  await command(dataDir, ['wallet-limit', account, '--per-minute', String(REQUESTS_PER_MINUTE)]);
  await command(dataDir, ['wallet-use-limit', account, '--per-second', String(REQUESTS_PER_MINUTE)]);
  const { token } = made as { readonly token: string };
  return { token, ask };
}

/** Latencies of calls one after the other, sorted, in milliseconds. */
export async function latenciesOf({ prepare, times }: LatencyLoad, run: Run): Promise<readonly number[]> {
  const next = await prepare(run, times * (1 + WARM_UP));
  return measure(next, times, Number(new URL(run.baseUrl).port));
}

/** The generator is the one of the other loads: a client that collects garbage would be measured with the server. */
async function measure(next: () => Request, times: number, port: number): Promise<readonly number[]> {
  const connection = new Connection(port);
  const latencies: number[] = [];
  try {
    for (let at = -times * WARM_UP; at < times; at += 1) {
      const latencyMs = await timeOf(connection, next());
      if (at >= 0) latencies.push(latencyMs);
    }
  } finally {
    connection.close();
  }
  return latencies.sort((a, b) => a - b);
}

/** The time of a call until its whole answer is there, in milliseconds. */
export function timeOf(connection: Connection, call: Request): Promise<number> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    connection.exchange(call, (error) => {
      if (error === undefined) resolve(performance.now() - beganMs);
      else reject(error);
    });
  });
}
