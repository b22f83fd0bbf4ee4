// A program of a user of the package. The suite copies it into a folder where only the package is installed.
import {
  CallError,
  createLedgerClient,
  createLedgerSubscriptions,
  createWalletClient,
  type CreateWalletBatchRequest,
  ERRORS,
  type ErrorName,
  errorNameOf,
  isWalletError,
  type LedgerClient,
  type LedgerSubscription,
  type MethodResults,
  type TransactionConfig,
  type UiAccount,
  type Wallet,
} from '@keyslot/client';
import { createAccountClient, type NewApiKey } from '@keyslot/client/account';

const [, , url = '', apiKey = '', version1Signature = ''] = process.argv;
const ledger: LedgerClient = createLedgerClient({ url, apiKey });
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

const nameOf = async (call: Promise<unknown>): Promise<ErrorName | undefined> => {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return errorNameOf(error);
  }
};

const slot: bigint = await ledger.getSlot({ commitment: 'confirmed', minContextSlot: 0n });
const { value: lamports }: MethodResults['getBalance'] = await ledger.getBalance(SYSTEM_PROGRAM);
const { value: account } = await ledger.getAccountInfo(SYSTEM_PROGRAM, { encoding: 'base64' });
const found: UiAccount | null = account;

// @ts-expect-error an address is text
const notAnAddress = await nameOf(ledger.getBalance(5));
// @ts-expect-error a u64 is no number
const rounded: number = slot;

/** A transaction of version 1, and the limits that it carries. */
const readsVersion1 = { commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const;
const version1 = await ledger.getTransaction(version1Signature, readsVersion1);
const { transaction } = version1 ?? {};
const isJson = typeof transaction === 'object' && 'message' in transaction;
const limits: TransactionConfig | undefined = isJson ? transaction.message.transactionConfig : undefined;
const priorityFee: bigint | null | undefined = limits?.priorityFee;
const heapSize: number | null | undefined = limits?.heapSize;

const subscriptions = createLedgerSubscriptions({ url, apiKey });
const slots: LedgerSubscription<'slotSubscribe'> = await subscriptions.slotSubscribe();
let parent: bigint | undefined;
for await (const told of slots) {
  parent = told.parent;
  break;
}
// @ts-expect-error a filter is a word or an object
const notAFilter = await nameOf(subscriptions.logsSubscribe(5));
subscriptions.close();

/** A wallet service that answers two lines, and then nothing for want of money. */
const LINES =
  '{"address":"a","custody":"managed","wallet_id":"w_1","created_at":"t"}\n{"address":"b","custody":"client","secret_key":"s","created_at":"t"}\n';
const PROBLEM =
  '{"code":"balance_insufficient","detail":"Too little.","status":402,"required":1000,"available":500}';
const answers = [
  new Response(LINES, { headers: { 'content-type': 'application/jsonl', 'x-wallet-count': '2' } }),
  new Response(PROBLEM, { status: 402, headers: { 'content-type': 'application/problem+json' } }),
];
const service = createWalletClient({
  url: 'http://127.0.0.1:1',
  token: 'a token',
  fetch: async () => answers.shift() ?? Response.error(),
});
const wanted: CreateWalletBatchRequest = { count: 2 };
const wallets: Wallet[] = [];
for await (const wallet of await service.createWalletBatch(wanted, { idempotencyKey: 'k' }))
  wallets.push(wallet);
let available: number | undefined;
try {
  // @ts-expect-error only two custodies are known
  await service.createWallet({ custody: 'mine' });
} catch (error) {
  if (isWalletError(error, 'balance_insufficient')) available = error.failure.problem.available;
}

const accountService = createAccountClient({
  url: 'http://127.0.0.1:1',
  fetch: async (_url, request) => Response.json({ key_id: request?.credentials, name: 'checkout' }),
});
const key: NewApiKey = await accountService.createKey({ name: 'checkout' });

console.log(
  JSON.stringify({
    key: [key.key_id, key.name],
    slot: typeof rounded,
    lamports: String(lamports),
    rentEpoch: String(found?.rentEpoch),
    notAnAddress,
    version: version1?.version,
    limits: [String(priorityFee), typeof limits?.computeUnitLimit, heapSize],
    notReadable: await nameOf(
      ledger.getTransaction(version1Signature, { ...readsVersion1, maxSupportedTransactionVersion: 0 }),
    ),
    parent: typeof parent,
    notAFilter,
    tooWide: await nameOf(ledger.getBlocks(0, 500_001)),
    tooWideCode: ERRORS.slotRangeTooLarge.jsonrpc.code,
    wallets: wallets.map((wallet) =>
      wallet.custody === 'managed' ? `managed ${wallet.wallet_id}` : `client ${wallet.mnemonic}`,
    ),
    available,
    wrongKey: await nameOf(createLedgerClient({ url, apiKey: 'ks_key_none' }).getSlot()),
  }),
);
