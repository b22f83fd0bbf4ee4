import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { createWalletClient, type WalletClient } from '../../generated/wallets/client.ts';
import { askAdmin } from '../../src/admin/ask-admin.ts';
import { SCOPES } from '../../src/account/tokens/scopes.ts';
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
    ...{ name: 'fetch', statedMs: 60, times: 400 },
    prepare: async (client) => {
      const id = await managedId(client);
      return () => client.getWallet(id);
    },
  },
  {
    ...{ name: 'sign', statedMs: 120, times: 400 },
    prepare: async (client) => {
      const id = await managedId(client);
      return () => client.signWithWallet(id, { message });
    },
  },
  {
    ...{ name: 'delete', statedMs: 90, times: 60 },
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

/** An account of its own with money, and a token for it. */
export async function newAccount(dataDir: string, amountUsd: string) {
  const account = `bench-${randomUUID()}`;
  const ask = async (command: object) => (await askAdmin(dataDir, { ...command, account }))?.result;
  const made = await ask({ kind: 'tokens.create', name: 'bench', scopes: SCOPES });
  await ask({ kind: 'money.credit', amountUsd });
  const { token } = made as { readonly token: string };
  return { token, ask };
}

/** How long calls take one after the other, sorted, in milliseconds. Some go ahead unmeasured. */
export async function latenciesOf(
  { prepare, times, name }: LatencyLoad,
  run: Target & { readonly dataDir: string },
): Promise<readonly number[]> {
  const client = createWalletClient({ url: run.baseUrl, token: run.token });
  const isRepeatable = name !== 'delete';
  let call = await prepare(client, run);
  const latencies: number[] = [];
  for (let at = -10; at < times; at += 1) {
    const beganMs = performance.now();
    await call();
    if (at >= 0) latencies.push(performance.now() - beganMs);
    if (!isRepeatable) call = await prepare(client, run);
  }
  return latencies.sort((a, b) => a - b);
}
