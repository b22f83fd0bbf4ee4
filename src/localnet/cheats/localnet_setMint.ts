import { base58 } from '@scure/base';
import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { findMint } from '../accounts/token-view.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { readOpen, writeAccounts } from './write-accounts.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { TOKEN_ACCOUNT_STATES } from '../encode/token-layout.ts';
import { addressOf } from './address-or-none.ts';

export const localnetSetMint: LedgerHandler<Ledger, 'localnet_setMint'> = async (ledger, mint, changes) => {
  await ledger.fork?.touch(ledger, [mint]);
  const account = setMintFields(mintAccount(ledger, mint), changes);
  writeAccounts(ledger, [{ address: mint, account }], `the runtime refuses the mint ${mint}`);
  return null;
};

/** Returns the account of a mint. @throws ServiceError invalidParam: there is no such mint. */
export function mintAccount(ledger: Ledger, address: string): Account {
  findMint(ledger, address, ledger.blocks.openSlot);
  const account = readOpen(ledger, address);
  if (account === undefined) throw serviceError('invalidParam', { reason: 'could not find mint' });
  return account;
}

/** Offsets of the fields of a mint, and of a token account, in both token programs. */
const MINT = { mintAuthority: 0, supply: 36, freezeAuthority: 46 };
const TOKEN = { amount: 64, delegate: 72, state: 108, delegatedAmount: 121, closeAuthority: 129 };
const OPTION_BYTES = 36;

type Integer = number | bigint | null;

/** New values of a mint; absent members stay. `none` clears an authority. */
type MintFields = {
  readonly supply?: Integer;
  readonly mintAuthority?: string | null;
  readonly freezeAuthority?: string | null;
};

/** New values of a token account; absent members stay. `none` clears an authority. */
export type TokenFields = {
  readonly amount?: Integer;
  readonly delegate?: string | null;
  readonly delegatedAmount?: Integer;
  readonly state?: (typeof TOKEN_ACCOUNT_STATES)[number] | null;
  readonly closeAuthority?: string | null;
};

/** Returns the account of a mint with other fields. */
export function setMintFields(account: Account, fields: MintFields): Account {
  const data = Uint8Array.from(account.data);
  putU64(data, MINT.supply, fields.supply);
  putOption(data, MINT.mintAuthority, fields.mintAuthority);
  putOption(data, MINT.freezeAuthority, fields.freezeAuthority);
  return { ...account, data };
}

/** Returns a token account with other fields. Without a delegate nothing is delegated. */
export function setTokenFields(account: Account, fields: TokenFields): Account {
  const data = Uint8Array.from(account.data);
  const { delegate, state } = fields;
  putU64(data, TOKEN.amount, fields.amount);
  putOption(data, TOKEN.delegate, delegate);
  putU64(data, TOKEN.delegatedAmount, delegate === 'none' ? 0 : fields.delegatedAmount);
  putOption(data, TOKEN.closeAuthority, fields.closeAuthority);
  if (state !== null && state !== undefined) data[TOKEN.state] = TOKEN_ACCOUNT_STATES.indexOf(state);
  return { ...account, data };
}

function putU64(data: Uint8Array, offset: number, value: Integer | undefined): void {
  if (value !== null && value !== undefined) data.set(new ByteWriter(8).u64(BigInt(value)).bytes, offset);
}

function putOption(data: Uint8Array, offset: number, value: string | null | undefined): void {
  if (value === null || value === undefined) return;
  const address = addressOf(value);
  const option = new ByteWriter(OPTION_BYTES).u32(address === null ? 0 : 1);
  data.set(address === null ? option.bytes : option.put(base58.decode(address)).bytes, offset);
}
