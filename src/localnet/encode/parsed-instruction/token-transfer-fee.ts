import type { ByteReader } from '../../bytes/byte-reader.ts';
import { tokenAmount } from '../token-amount.ts';
import { ifAny, type ReadForm } from './instruction-form.ts';

/** Instructions of Token-2022's transfer fee extension, by second byte. */
export const readTransferFeeForm: ReadForm = (reader) => reader.oneOf(reader.u8(), FORMS)(reader);

const WITHDRAW_AUTHORITY = ['withdrawWithheldAuthority', 'multisigWithdrawWithheldAuthority'] as const;

const FORMS: readonly ReadForm[] = [
  (reader) => ({
    type: 'initializeTransferFeeConfig',
    accounts: ['mint'],
    info: {
      ...ifAny('transferFeeConfigAuthority', option(reader)),
      ...ifAny('withdrawWithheldAuthority', option(reader)),
      ...readFee(reader),
    },
  }),
  (reader) => ({
    type: 'transferCheckedWithFee',
    accounts: ['source', 'mint', 'destination'],
    authority: ['authority', 'multisigAuthority'],
    info: readAmounts(reader),
  }),
  () => ({
    type: 'withdrawWithheldTokensFromMint',
    accounts: ['mint', 'feeRecipient'],
    authority: WITHDRAW_AUTHORITY,
  }),
  (reader) => ({
    type: 'withdrawWithheldTokensFromAccounts',
    accounts: ['mint', 'feeRecipient'],
    authority: WITHDRAW_AUTHORITY,
    list: { name: 'sourceAccounts', count: reader.u8() },
  }),
  () => ({ type: 'harvestWithheldTokensToMint', accounts: ['mint'], list: { name: 'sourceAccounts' } }),
  (reader) => ({
    type: 'setTransferFee',
    accounts: ['mint'],
    // The second name is the node's own, with its spelling.
    authority: ['transferFeeConfigAuthority', 'multisigtransferFeeConfigAuthority'],
    info: readFee(reader),
  }),
];

function readFee(reader: ByteReader) {
  return { transferFeeBasisPoints: reader.u16(), maximumFee: reader.u64() };
}

function readAmounts(reader: ByteReader) {
  const [amount, decimals, fee] = [reader.u64(), reader.u8(), reader.u64()];
  return { tokenAmount: tokenAmount(amount, decimals), feeAmount: tokenAmount(fee, decimals) };
}

function option(reader: ByteReader): string | null {
  return reader.option(() => reader.address());
}
