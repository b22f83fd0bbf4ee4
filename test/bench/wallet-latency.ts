import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { createWalletClient, type WalletClient } from '../../generated/wallets/client.ts';
import { askAdmin } from '../../src/admin/ask-admin.ts';
import { SCOPES } from '../../src/account/tokens/scopes.ts';
import { startScriptedNode } from './targets.ts';
import type { Target } from './wallet-stream.ts';

/** One operation, how often it is measured, and what interface.md section 8 states for it. */
export type LatencyLoad = {
  readonly name: string;
  readonly statedMs: number;
  readonly times: number;
  /** Makes what one call needs, and gives the call. */
  readonly prepare: (
    client: WalletClient,
    run: Target & { readonly dataDir: string },
  ) => Promise<() => Promise<unknown>>;
};

const JSON_HEADERS = { 'content-type': 'application/json' };
const message = Buffer.alloc(200, 7).toString('base64');
const managedId = async (client: WalletClient): Promise<string> => {
  const wallet = await client.createWallet({ custody: 'managed' });
  return wallet.custody === 'managed' ? wallet.wallet_id : '';
};

export const LATENCY_LOADS: readonly LatencyLoad[] = [
  {
    ...{ name: 'HD create, client', statedMs: 200, times: 200 },
    prepare: async (client) => () => client.createHdWallets({}),
  },
  {
    ...{ name: 'HD create, managed', statedMs: 200, times: 200 },
    prepare: async (client) => () => client.createHdWallets({ custody: 'managed' }),
  },
  {
    ...{ name: 'fetch', statedMs: 60, times: 1_000 },
    prepare: async (client) => {
      const id = await managedId(client);
      return () => client.getWallet(id);
    },
  },
  {
    ...{ name: 'sign', statedMs: 120, times: 1_000 },
    prepare: async (client) => {
      const id = await managedId(client);
      return () => client.signWithWallet(id, { message });
    },
  },
  {
    ...{ name: 'delete', statedMs: 90, times: 300 },
    // A code works once: each call has an account of its own.
    prepare: async (_, { baseUrl, dataDir }) => {
      const account = await newAccount(dataDir, '1.00');
      const client = createWalletClient({ url: baseUrl, token: account.token });
      const id = await managedId(client);
      const { secret } = (await account.ask({ kind: 'two-factor.enrol' })) as { readonly secret: string };
      const twoFactorCode = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      return () => client.destroyWallet(id, { twoFactorCode });
    },
  },
];

/** How long calls of a server take that does nothing, sorted, in milliseconds: what the machine and the client add to each. */
export async function bareLatencies(times: number): Promise<readonly number[]> {
  const bare = await startScriptedNode();
  try {
    const body = '{"jsonrpc":"2.0","id":1,"method":"getBalance"}';
    const call = async () =>
      (await fetch(`http://127.0.0.1:${bare.port}`, { method: 'POST', body, headers: JSON_HEADERS })).text();
    return await measure(() => call, times);
  } finally {
    await bare.stop();
  }
}

/** An account of its own with money, and a token for it. */
export async function newAccount(dataDir: string, amountUsd: string) {
  const account = `bench-${randomUUID()}`;
  const ask = async (command: object) => (await askAdmin(dataDir, { ...command, account }))?.result;
  const made = await ask({ kind: 'tokens.create', name: 'bench', scopes: SCOPES });
  await ask({ kind: 'money.credit', amountUsd });
  const { token } = made as { readonly token: string };
  return { token, ask };
}

/** How long calls take one after the other, sorted, in milliseconds. */
export async function latenciesOf(
  { prepare, times, name }: LatencyLoad,
  run: Target & { readonly dataDir: string },
): Promise<readonly number[]> {
  const client = createWalletClient({ url: run.baseUrl, token: run.token });
  const prepared = name === 'delete' ? undefined : await prepare(client, run);
  return measure(() => prepared ?? prepare(client, run), times);
}

type Call = () => Promise<unknown>;

/** Half as many calls go ahead unmeasured, so that what runs has been compiled. */
async function measure(next: () => Call | Promise<Call>, times: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let at = -times / 2; at < times; at += 1) {
    const latencyMs = await timeOf(await next());
    if (at >= 0) latencies.push(latencyMs);
  }
  return latencies.sort((a, b) => a - b);
}

async function timeOf(call: Call): Promise<number> {
  const beganMs = performance.now();
  await call();
  return performance.now() - beganMs;
}
