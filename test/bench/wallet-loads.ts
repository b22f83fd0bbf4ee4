import { PLANS } from '../../generated/plans.ts';
import type { RawWork } from './raw-keys.ts';

const { batch_wallets_per_second: BATCH, hd_derivations_per_second: DERIVATIONS } = PLANS.service_levels;

/** A stream of wallets over HTTP, and the raw work that bounds it. */
export type WalletLoad = {
  readonly name: string;
  readonly what: string;
  /** The raw work that bounds the speed of its wallets; undefined where the store does. */
  readonly raw: RawWork['kind'] | undefined;
  /** The wallets per second that the specification states. */
  readonly stated?: number;
  readonly path: string;
  readonly body: object;
  /** Wallets that come. */
  readonly wallets: number;
};

export const WALLET_LOADS: readonly WalletLoad[] = [
  {
    name: 'batch',
    what: 'POST /v1/wallets/batch of 10,000 in client custody as JSON lines',
    raw: 'keypair',
    stated: BATCH,
    path: '/v1/wallets/batch',
    body: { count: 10_000 },
    wallets: 10_000,
  },
  {
    name: 'mnemonics',
    what: 'the same with mnemonics of 12 words',
    raw: 'pbkdf2',
    path: '/v1/wallets/batch',
    body: { count: 10_000, mnemonic_words: 12 },
    wallets: 10_000,
  },
  {
    name: 'children',
    what: 'POST /v1/wallets/hd of 10,000 children of one master as JSON lines',
    raw: 'keypair',
    stated: DERIVATIONS,
    path: '/v1/wallets/hd',
    body: { accounts: { count: 10_000 }, format: 'jsonl' },
    wallets: 10_001,
  },
  {
    name: 'managed batch',
    what: 'POST /v1/wallets/batch of 10,000 in managed custody, each stored, charged and audited before its line is sent',
    raw: undefined,
    path: '/v1/wallets/batch',
    body: { count: 10_000, custody: 'managed' },
    wallets: 10_000,
  },
];
