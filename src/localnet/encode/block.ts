import type {
  AccountsBlockTransaction,
  Block as EncodedBlock,
  EncodedBlockTransaction,
  Reward,
  ParsedBlockTransaction,
  TransactionEncoding,
} from '../../../generated/ledger/types.ts';
import type { Block, BlockReward, TransactionRecord } from '../model.ts';
import { PARTITIONS } from '../rewards/pay-rewards.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import { encodeAccountsMeta, encodeMeta, encodeParsedMeta } from './meta.ts';
import {
  encodeAccountsTransaction,
  encodeParsedTransaction,
  encodeTransaction,
  type RawTransactionEncoding,
  encodeVersion,
  type SupportedVersion,
} from './transaction.ts';

export type BlockOptions = {
  /** Default: json. Has no effect under transactionDetails accounts. */
  readonly encoding?: TransactionEncoding | null | undefined;
  /** Default: full. */
  readonly transactionDetails?: 'full' | 'accounts' | 'signatures' | 'none' | null | undefined;
  /** Default: true. */
  readonly rewards?: boolean | null | undefined;
  readonly maxSupportedTransactionVersion?: SupportedVersion;
};

/**
 * Encodes the answer of getBlock. Throws `transactionVersionNotSupported` if transactions are shown and one has a version above the
 * client's maximum.
 */
export function encodeBlock(block: Block, options: BlockOptions): EncodedBlock {
  const { previousBlockhash, blockhash, parentSlot, transactions, rewards } = block;
  const head = { previousBlockhash, blockhash, parentSlot };
  const tail = {
    ...(options.rewards === false ? {} : { rewards: (rewards?.paid ?? []).map(encodeReward) }),
    ...(rewards?.due === undefined ? {} : { numRewardPartitions: PARTITIONS }),
    blockTime: block.time,
    blockHeight: block.height,
  };
  const details = options.transactionDetails ?? 'full';
  switch (details) {
    case 'none':
      return { ...head, ...tail };
    case 'signatures':
      return {
        ...head,
        signatures: transactions.flatMap(({ transaction }) => transaction.signatures.slice(0, 1)),
        ...tail,
      };
    case 'accounts':
      return {
        ...head,
        transactions: transactions.map((record) => accountsForm(record, options)),
        ...tail,
      };
    case 'full':
      return { ...head, transactions: fullForms(transactions, options), ...tail };
    default:
      return details satisfies never;
  }
}

/** The commission in percent is null since it is kept in basis points (SIMD-0291). */
function encodeReward({ address, type, lamports, postBalance, commissionBps }: BlockReward): Reward {
  return { pubkey: address, lamports, postBalance, rewardType: type, commission: null, commissionBps };
}

function fullForms(records: readonly TransactionRecord[], options: BlockOptions) {
  const encoding = options.encoding ?? 'json';
  return encoding === 'jsonParsed'
    ? records.map((record) => parsedForm(record, options))
    : records.map((record) => encodedForm(record, encoding, options));
}

function encodedForm(
  { transaction, meta }: TransactionRecord,
  encoding: RawTransactionEncoding,
  options: BlockOptions,
): EncodedBlockTransaction {
  return {
    transaction: encodeTransaction(transaction, encoding),
    meta: encodeMeta(meta, options.rewards !== false),
    ...encodeVersion(transaction.message, options.maxSupportedTransactionVersion),
  };
}

function parsedForm({ transaction, meta }: TransactionRecord, options: BlockOptions): ParsedBlockTransaction {
  const keys = accountKeys(transaction.message, meta.loadedAddresses);
  return {
    transaction: encodeParsedTransaction(transaction, meta.loadedAddresses),
    meta: encodeParsedMeta(meta, keys, options.rewards !== false),
    ...encodeVersion(transaction.message, options.maxSupportedTransactionVersion),
  };
}

function accountsForm(
  { transaction, meta }: TransactionRecord,
  options: BlockOptions,
): AccountsBlockTransaction {
  return {
    transaction: encodeAccountsTransaction(transaction, meta.loadedAddresses),
    meta: encodeAccountsMeta(meta, options.rewards !== false),
    ...encodeVersion(transaction.message, options.maxSupportedTransactionVersion),
  };
}
