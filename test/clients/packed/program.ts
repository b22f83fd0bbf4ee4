// What a user of the package writes. The suite copies it into a folder where only the package is installed.
import {
  CallError,
  createLedgerClient,
  ERRORS,
  type ErrorName,
  errorNameOf,
  type LedgerClient,
  type MethodResults,
  type UiAccount,
} from '@keyslot/client';

const [, , url = '', apiKey = ''] = process.argv;
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

console.log(
  JSON.stringify({
    slot: typeof rounded,
    lamports: String(lamports),
    rentEpoch: String(found?.rentEpoch),
    notAnAddress,
    tooWide: await nameOf(ledger.getBlocks(0, 500_001)),
    tooWideCode: ERRORS.slotRangeTooLarge.jsonrpc.code,
    wrongKey: await nameOf(createLedgerClient({ url, apiKey: 'ks_key_none' }).getSlot()),
  }),
);
