import type {
  AccountsTransactionMeta,
  ParsedTransactionMeta,
  Reward,
  TransactionMeta as EncodedTransactionMeta,
  UiTransactionReturnData,
} from '../../../generated/ledger/types.ts';
import type { TransactionMeta, ReturnData } from '../model.ts';
import { encodeInnerInstructions, encodeParsedInnerInstructions } from './instruction.ts';
import { encodeBase64 } from '../bytes/base58.ts';

/** Transactions earn no rewards; clients see an empty list, or null if they did not request them. */
const NO_REWARDS: Reward[] = [];

/**
 * Encodes the outcome of a transaction, in the nodes' order of members, as under json and the byte encodings; inner instructions keep their
 * indexes.
 */
export function encodeMeta(meta: TransactionMeta, rewards: boolean): EncodedTransactionMeta {
  return {
    ...outcome(meta),
    innerInstructions: meta.innerInstructions.map(encodeInnerInstructions),
    logMessages: [...meta.logs],
    ...tokens(meta),
    rewards: rewards ? NO_REWARDS : null,
    loadedAddresses: {
      writable: [...meta.loadedAddresses.writable],
      readonly: [...meta.loadedAddresses.readonly],
    },
    ...costs(meta),
  };
}

/** The same under jsonParsed; `keys` are all account keys of the transaction, including the loaded ones. */
export function encodeParsedMeta(
  meta: TransactionMeta,
  keys: readonly string[],
  rewards: boolean,
): ParsedTransactionMeta {
  return {
    ...outcome(meta),
    innerInstructions: meta.innerInstructions.map((calls) => encodeParsedInnerInstructions(calls, keys)),
    logMessages: [...meta.logs],
    ...tokens(meta),
    rewards: rewards ? NO_REWARDS : null,
    ...costs(meta),
  };
}

/** The reduced form under transactionDetails accounts; rewards that were not requested are absent here. */
export function encodeAccountsMeta(meta: TransactionMeta, rewards: boolean): AccountsTransactionMeta {
  return { ...outcome(meta), ...tokens(meta), ...(rewards && { rewards: NO_REWARDS }) };
}

function outcome(meta: TransactionMeta) {
  return {
    err: meta.err,
    status: meta.err === null ? { Ok: null } : { Err: meta.err },
    fee: meta.fee,
    preBalances: [...meta.preBalances],
    postBalances: [...meta.postBalances],
  };
}

function tokens({ preTokenBalances, postTokenBalances }: TransactionMeta) {
  return { preTokenBalances: [...preTokenBalances], postTokenBalances: [...postTokenBalances] };
}

function costs(meta: TransactionMeta) {
  return {
    ...(meta.returnData && { returnData: encodeReturnData(meta.returnData) }),
    computeUnitsConsumed: meta.computeUnitsConsumed,
    costUnits: meta.costUnits,
  };
}

/** Encodes return data as a base-64 pair with the program that set it. */
export function encodeReturnData({ programId, data }: ReturnData): UiTransactionReturnData {
  return { programId, data: [encodeBase64(data), 'base64'] };
}
