import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { startRpcServer } from '../../../src/localnet/serve-ledger.ts';
import { actScenario } from '../../../src/devkit/contract/scenario.ts';
import { newLedger } from '../../localnet/new-ledger.ts';
import { fundedWallet, memo, sendNow, signed, transfer } from '../../localnet/transactions.ts';

/** Values that a ledger has and values that it has not, for the params of calls. */
export type LedgerValues = {
  readonly addresses: readonly string[];
  /** Addresses that make sense as the member or parameter of a name. */
  readonly named: Readonly<Record<string, readonly string[]>>;
  readonly signatures: readonly string[];
  readonly blockhashes: readonly string[];
  readonly slots: readonly bigint[];
  /** Transactions as text: in base-58 and base-64, of every version, landed and never sent. */
  readonly transactions: readonly string[];
  /** Transactions that no ledger takes: nobody has signed them, or not this, or they have landed. */
  readonly unlandable: readonly string[];
  readonly messages: readonly string[];
};

export type StillLedger = {
  readonly url: string;
  readonly values: LedgerValues;
  /** The number of transactions in its open slot. */
  readonly openTransactions: () => number;
  readonly close: () => Promise<void>;
};

const SLOT_MS = 60_000;
/** The length of a slot while the ledger is filled. */
const FILLING_TICK_MS = 10;

const ADDRESSES = [
  ...['wallet', 'recipient', 'identity', 'voteAccount', 'systemProgram', 'dataProgram', 'dataAccount8'],
  ...['nonceAccount', 'lookupTable', 'tokenProgram', 'mint', 'tokenAccount', 'delegate'],
  ...['token2022Program', 'mint2022', 'token2022Account', 'unknownAddress'],
];
const NAMED: Readonly<Record<string, readonly string[]>> = {
  mint: ['mint', 'mint2022'],
  programId: ['tokenProgram', 'token2022Program'],
  program: ['tokenProgram', 'token2022Program', 'dataProgram', 'systemProgram'],
  owner: ['wallet'],
  delegate: ['delegate'],
  identity: ['identity'],
  votePubkey: ['voteAccount'],
};
const SIGNATURES = [
  ...['airdropSignature', 'transferSignature', 'failedSignature', 'memoSignature', 'tokenSignature'],
  ...['nonceSignature', 'v0Signature', 'version1Signature', 'version1FailedSignature', 'unknownSignature'],
  'lookupTableSignature',
];
const SLOTS = [
  ...['transferSlot', 'memoSlot', 'tokenSlot', 'v0Slot', 'version1Slot', 'emptySlot'],
  ...['finalizedSlot', 'confirmedSlot'],
];
const UNSENT = [
  ...['signedTransfer58', 'signedTransfer64', 'signedVersion1', 'signedVersion1In58', 'largeVersion1'],
  ...['version1WithoutLimits', 'returning64'],
];
const UNSIGNED = ['unsignedTransfer64', 'unsignedVersion1'];
const SYSVARS = [
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
];

/**
 * A ledger with accounts, tokens of both programs, a nonce, a lookup table, and transactions of every version at every commitment,
 * failed ones among them. Once it is filled its clock stands still.
 */
export async function startStillLedger(): Promise<StillLedger> {
  const run = newLedger({ slotMs: SLOT_MS });
  const server = await startRpcServer(run.ledger, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}/`;
  run.ledger.rpcAddress = `127.0.0.1:${server.port}`;
  const ticking = setInterval(run.tick, FILLING_TICK_MS);
  const { value } = await actScenario({ rpcUrl: url }).finally(() => clearInterval(ticking));
  const texts = (names: readonly string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => String(await value(name))));
  const named = Object.entries(NAMED).map(async ([name, known]) => [name, await texts(known)] as const);
  // After what is finalized: a transaction that is confirmed, and one that is processed.
  const wallet = await fundedWallet(run);
  const send = (lamports: bigint) => {
    const to = Keypair.generate().publicKey;
    return sendNow(run, signed(run, [wallet], transfer(wallet, to, lamports), memo('recent')));
  };
  const confirmed = await send(3_000_000n);
  run.tick();
  const processed = await send(4_000_000n);
  const transactions = [...(await texts(UNSENT)), ...(await texts(UNSIGNED))];
  const landed = await Promise.all(
    SIGNATURES.slice(0, 3).map(async (name) => {
      const found = await run.call('getTransaction', String(await value(name)), 'base64');
      return found === null ? '' : String((found.transaction as readonly unknown[])[0]);
    }),
  );
  const { openSlot } = run.ledger.blocks;
  return {
    url,
    values: {
      addresses: [...(await texts(ADDRESSES)), ...SYSVARS, wallet.publicKey.toBase58()],
      named: Object.fromEntries(await Promise.all(named)),
      signatures: [...(await texts(SIGNATURES)), confirmed, processed],
      blockhashes: await texts(['latestBlockhash', 'expiredBlockhash']),
      slots: [
        ...(await texts(SLOTS)).map(BigInt),
        ...[0n, 1n, openSlot - 2n, openSlot - 1n, openSlot, openSlot + 1n, 432_000n],
      ],
      transactions: [...transactions, ...landed],
      unlandable: [...transactions.map(tamperedWith), ...(await texts(UNSIGNED)), ...landed],
      messages: await texts(['feeMessage', 'feeMessageVersion1']),
    },
    openTransactions: () => run.ledger.blocks.transactionCount(openSlot),
    close: () => server.close(1_000),
  };
}

/** The same text of a transaction but for a byte of its message, so that its signatures are none of it. */
function tamperedWith(text: string): string {
  const isBase64 = /[+/=0OIl]/.test(text);
  const wire = Buffer.from(isBase64 ? Buffer.from(text, 'base64') : base58.decode(text));
  const at = wire.length >> 1;
  wire[at] = (wire[at] ?? 0) ^ 1;
  return isBase64 ? wire.toString('base64') : base58.encode(wire);
}
