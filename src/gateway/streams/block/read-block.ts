import { stringifyJson } from '../../../core/rpc/json.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { TransactionConfig } from '../../../core/wire/message.ts';
import type {
  Block,
  BlockAccount,
  BlockReward,
  BlockTokenBalance,
  BlockTransaction,
  BlockTransactionConfig,
} from './block.ts';
import { readWire, UnreadableTransaction } from './read-wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** Facts about a block that its body does not contain. */
export type BlockContext = {
  readonly slot: bigint;
  readonly finalizedSlot: bigint;
  /** Bytes of the reply. */
  readonly sizeBytes: number;
};

/**
 * Reads the result of getBlock as parsed by `parseReply`, with transactions in base64 and full details.
 *
 * @throws ServiceError `upstreamBroken` if it is not a block; the lists throw the same when they are read.
 */
export function readBlock(result: unknown, { slot, finalizedSlot, sizeBytes }: BlockContext): Block {
  const block = object(result);
  const blockTime = optionalInteger(block.blockTime);
  let transactions: readonly BlockTransaction[] | undefined;
  return {
    slot,
    sizeBytes,
    blockTime,
    blockHeight: optionalInteger(block.blockHeight),
    parentSlot: integer(block.parentSlot),
    rootSlot: finalizedSlot < slot ? finalizedSlot : slot,
    blockhash: text(block.blockhash),
    previousBlockhash: text(block.previousBlockhash),
    transactions: () => (transactions ??= list(block.transactions).map(readTransaction)),
    rewards: () => list(block.rewards ?? []).map(readReward),
  };
}

function readTransaction(value: unknown, index: number): BlockTransaction {
  const { transaction, meta } = object(value);
  const { err, fee, logMessages, computeUnitsConsumed, ...details } = object(meta);
  const raw = Buffer.from(text(list(transaction)[0]), 'base64');
  const wire = readWireOf(raw);
  return {
    index,
    raw,
    signature: wire.signature,
    fee: integer(fee),
    version: wire.version === 'legacy' ? undefined : wire.version,
    config: wire.config === undefined ? undefined : readConfig(wire.config),
    error: err === null || err === undefined ? undefined : stringifyJson(err),
    computeUnits: optionalInteger(computeUnitsConsumed),
    accounts: readAccounts([...wire.accounts, ...readLoaded(details.loadedAddresses)], details),
    logs: list(logMessages ?? []).map(text),
  };
}

function readWireOf(raw: Buffer) {
  try {
    return readWire(raw);
  } catch (error) {
    if (error instanceof UnreadableTransaction) throw broken(error.message);
    throw error;
  }
}

function readConfig(config: TransactionConfig): BlockTransactionConfig {
  return {
    priorityFee: config.priorityFee ?? undefined,
    computeUnitLimit: config.computeUnitLimit ?? undefined,
    loadedAccountsDataSizeLimit: config.loadedAccountsDataSizeLimit ?? undefined,
    heapSize: config.heapSize ?? undefined,
  };
}

type Key = Pick<BlockAccount, 'address' | 'isSigner' | 'isWritable'>;

function readLoaded(loaded: unknown): readonly Key[] {
  if (loaded === undefined || loaded === null) return [];
  const { writable, readonly } = object(loaded);
  const key = (isWritable: boolean) => (address: unknown) => ({
    address: text(address),
    isSigner: false,
    isWritable,
  });
  return [...list(writable).map(key(true)), ...list(readonly).map(key(false))];
}

function readAccounts(keys: readonly Key[], meta: Json): readonly BlockAccount[] {
  const [before, after] = [list(meta.preBalances), list(meta.postBalances)];
  const tokens = new Map(list(meta.postTokenBalances ?? []).map(readTokenBalance));
  return keys.map((key, index) => ({
    ...key,
    lamportsBefore: integer(before[index]),
    lamportsAfter: integer(after[index]),
    tokenBalance: tokens.get(index),
  }));
}

function readTokenBalance(value: unknown): readonly [number, BlockTokenBalance] {
  const { accountIndex, mint, owner, uiTokenAmount } = object(value);
  const { amount, decimals } = object(uiTokenAmount);
  const balance = { mint: text(mint), owner: text(owner ?? ''), amount: integer(text(amount)) };
  return [Number(integer(accountIndex)), { ...balance, decimals: Number(integer(decimals)) }];
}

function readReward(value: unknown): BlockReward {
  const { pubkey, lamports, postBalance, rewardType } = object(value);
  const paid = { lamports: integer(lamports), postBalance: integer(postBalance) };
  return { address: text(pubkey), ...paid, type: text(rewardType ?? '') };
}

function object(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw broken('expected an object');
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw broken('expected an array');
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw broken('expected a string');
}

function integer(value: unknown): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw broken('expected an integer');
}

function optionalInteger(value: unknown): bigint | undefined {
  return value === null || value === undefined ? undefined : integer(value);
}

function broken(reason: string) {
  return serviceError('upstreamBroken', {}, new Error(`cannot read the block: ${reason}`));
}
