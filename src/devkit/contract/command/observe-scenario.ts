import { call, type RpcTarget } from '../json-rpc.ts';
import { freshValues } from '../scenario/fresh-values.ts';
import { newKeyPair } from '../scenario/legacy.ts';
import { addressOf } from '../scenario/sign-transaction.ts';

/** The values of `$name`: those that could be read, and those created at each use. */
export type ObservedScenario = {
  /** Undefined for a value that only a writing run has. */
  readonly value: (name: string) => (() => Promise<unknown>) | undefined;
};

const PROGRAMS = {
  systemProgram: '11111111111111111111111111111111',
  tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022Program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
};

/** The values of freshValues that need no write to the ledger. */
const UNSENT = [
  ...[
    'latestBlockhash',
    'expiredBlockhash',
    'feeMessage',
    'feeMessageVersion1',
    'finalizedSlot',
    'confirmedSlot',
  ],
  ...['signedTransfer58', 'signedTransfer64', 'unsignedTransfer64', 'unknownAddress', 'unknownSignature'],
] as const;

const BLOCKS_LOOKED_AT = 20;

type Landed = Partial<
  Readonly<Record<'wallet' | 'transferSignature' | 'transferSlot' | 'legacySlot', unknown>>
>;

/**
 * Reads the values of a run from any server without changing anything: its identity, a vote account, and a legacy transaction of a
 * recent block with its payer. Transfers are signed by a key pair without funds and only simulated.
 *
 * @throws Error when the server does not answer getSlot with a number.
 */
export async function observeScenario(target: RpcTarget): Promise<ObservedScenario> {
  const fresh = freshValues({ target, wallet: await newKeyPair() }, addressOf(await newKeyPair()));
  const answered = await call(target, 'getSlot', [{ commitment: 'finalized' }]);
  if (typeof answered !== 'number')
    throw new Error(`getSlot answered ${JSON.stringify(answered)}, which is not a slot`);
  const slot = answered;
  const [node, landed] = await Promise.all([readNode(target), findLanded(target, slot)]);
  const fixed: Readonly<Record<string, unknown>> = { wallet: node.identity, ...PROGRAMS, ...node, ...landed };
  return {
    value: (name) => {
      if (fixed[name] !== undefined) return async () => fixed[name];
      return UNSENT.some((each) => each === name) ? fresh[name] : undefined;
    },
  };
}

/** Reads the node's values; those of methods that the server lacks are left out. */
async function readNode(target: RpcTarget): Promise<Readonly<Record<string, unknown>>> {
  const [identity, votes] = await Promise.all([
    call(target, 'getIdentity').catch(() => undefined),
    call(target, 'getVoteAccounts').catch(() => undefined),
  ]);
  const named = identity as { readonly identity?: string } | null | undefined;
  const voting = votes as
    | { readonly current?: readonly ({ readonly votePubkey?: string } | null)[] | null }
    | null
    | undefined;
  return { identity: named?.identity, voteAccount: voting?.current?.[0]?.votePubkey };
}

/** The members of a block that are used. A wrong block is reported by the cases, not here. */
type Block = {
  readonly transactions?: readonly ({
    readonly version?: unknown;
    readonly meta?: { readonly err?: unknown } | null;
    readonly transaction?: {
      readonly signatures?: readonly string[];
      readonly accountKeys?: readonly ({ readonly pubkey?: string } | null)[];
    };
  } | null)[];
};

/**
 * Finds the newest legacy transaction that succeeded, and the newest block without other versions, in a number of blocks up to `slot`;
 * returns no values if they have none.
 */
async function findLanded(target: RpcTarget, slot: number): Promise<Landed> {
  const slots = await call(target, 'getBlocks', [Math.max(0, slot - BLOCKS_LOOKED_AT), slot]).catch(() => []);
  let legacySlot: unknown;
  for (const at of Array.isArray(slots) ? slots.toReversed() : []) {
    const config = { transactionDetails: 'accounts', maxSupportedTransactionVersion: 1, rewards: false };
    const block = (await call(target, 'getBlock', [at, config]).catch(() => null)) as Block | null;
    if (!Array.isArray(block?.transactions)) continue;
    const { transactions } = block;
    if (transactions.every((each) => (each?.version ?? 'legacy') === 'legacy')) legacySlot ??= at;
    const found = transactions.find((each) => each?.version === 'legacy' && each.meta?.err === null);
    const wallet = found?.transaction?.accountKeys?.[0]?.pubkey;
    const transferSignature = found?.transaction?.signatures?.[0];
    if (wallet !== undefined && transferSignature !== undefined)
      return { wallet, transferSignature, transferSlot: at, legacySlot };
  }
  return { legacySlot };
}
