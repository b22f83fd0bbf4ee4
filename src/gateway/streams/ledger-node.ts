import { stringifyJson } from '../../core/rpc/json.ts';
import { readWhole } from '../../core/rpc/read-whole.ts';
import { createReplyMemory } from '../../core/rpc/reply-memory.ts';
import type { MethodName } from '../../../generated/ledger/methods.ts';
import { CallSignal } from '../../core/rpc/call-signal.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Upstream } from '../nodes/upstream.ts';
import type { Block } from './block/block.ts';
import { parseReply } from './block/parse-reply.ts';
import { type BlockContext, readBlock } from './block/read-block.ts';

/** The nodes of a network, read at confirmed. Every function throws the errors of `Upstream.send`, and `NodeRefusal`. */
export type LedgerNode = {
  readonly confirmedSlot: () => Promise<bigint>;
  readonly finalizedSlot: () => Promise<bigint>;
  /** The lowest slot whose block the node still has. */
  readonly firstAvailableSlot: () => Promise<bigint>;
  readonly genesisHash: () => Promise<string>;
  /** Returns the next slots with a block, from `start` on, at most `limit`, ascending. */
  readonly slotsFrom: (start: bigint, limit: number) => Promise<readonly bigint[]>;
  readonly block: (slot: bigint, finalizedSlot: bigint) => Promise<Block>;
  /** Returns the statuses of at most 256 signatures of any age, in their order. */
  readonly signatureStatuses: (signatures: readonly string[]) => Promise<SignatureStatuses>;
};

export type SignatureStatuses = {
  /** The slot of the node's answer. */
  readonly slot: bigint;
  readonly statuses: readonly (SignatureStatus | undefined)[];
};

/** The outcome of a transaction. */
export type SignatureStatus = {
  readonly slot: bigint;
  /** JSON text; undefined: it succeeded. */
  readonly error: string | undefined;
  /** False: it may be on an abandoned fork. */
  readonly isConfirmed: boolean;
};

/** The node's answer is an error. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** True if the node will never have that block: it was cleaned up, or was skipped (agave's codes). */
  get isFinal(): boolean {
    return GONE_CODES.has(this.code);
  }
}

const GONE_CODES: ReadonlySet<number> = new Set([-32001, -32007, -32009, -32011]);
const ID = '0';
const CONFIRMED = { commitment: 'confirmed' } as const;
const FINALIZED = { commitment: 'finalized' } as const;
const BLOCK = {
  ...CONFIRMED,
  encoding: 'base64',
  transactionDetails: 'full',
  rewards: true,
  maxSupportedTransactionVersion: 1,
} as const;
/** Number of largest blocks that fit in memory at once. */
const HELD_BLOCKS = 4;

/**
 * Returns a reader of a network's nodes.
 *
 * @param maxBlockBytes maximum size of a reply; `replyTooLarge` beyond.
 * @param onBlockReply called with the reply that a block was read from.
 */
export function createLedgerNode(
  upstream: Upstream,
  maxBlockBytes: number,
  onBlockReply?: (block: Block, reply: Buffer) => void,
): LedgerNode {
  const memory = createReplyMemory(HELD_BLOCKS * maxBlockBytes, maxBlockBytes);
  const ask = async (method: MethodName, params: readonly unknown[]) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 0, method, params: params.map(asJson) }));
    const hold = memory.hold();
    try {
      const reply = await upstream.send({ body, method, id: ID, signal: new CallSignal() });
      return await readWhole(reply, hold);
    } finally {
      hold.release();
    }
  };
  const askResult = async (method: MethodName, params: readonly unknown[]) =>
    readResult(await ask(method, params));
  const askSlot = async (method: MethodName, params: readonly unknown[]) =>
    toSlot(await askResult(method, params));
  return {
    confirmedSlot: () => askSlot('getSlot', [CONFIRMED]),
    finalizedSlot: () => askSlot('getSlot', [FINALIZED]),
    firstAvailableSlot: () => askSlot('getFirstAvailableBlock', []),
    genesisHash: async () => String(await askResult('getGenesisHash', [])),
    slotsFrom: async (start, limit) => {
      const result = await askResult('getBlocksWithLimit', [start, limit, CONFIRMED]);
      if (!Array.isArray(result)) throw notAnswered('getBlocksWithLimit did not return an array');
      return result.map(toSlot);
    },
    block: async (slot, finalizedSlot) => {
      const reply = await ask('getBlock', [slot, BLOCK]);
      const block = readBlockReply(reply, { slot, finalizedSlot });
      onBlockReply?.(block, reply);
      return block;
    },
    signatureStatuses: async (signatures) => {
      const result = await askResult('getSignatureStatuses', [
        signatures,
        { searchTransactionHistory: true },
      ]);
      const { value, context } = (result ?? {}) as { readonly value?: unknown; readonly context?: unknown };
      if (!Array.isArray(value) || value.length !== signatures.length)
        throw notAnswered('getSignatureStatuses did not return a status for each signature');
      const { slot } = (context ?? {}) as { readonly slot?: unknown };
      return { slot: toSlot(slot), statuses: value.map(readStatus) };
    },
  };
}

/** Reads a node's reply to the call for a block. @throws NodeRefusal; ServiceError `upstreamBroken` if it is not a valid reply. */
export function readBlockReply(reply: Buffer, context: Omit<BlockContext, 'sizeBytes'>): Block {
  return readBlock(readResult(reply), { ...context, sizeBytes: reply.length });
}

/** Slots of existing blocks are far below 2^53. */
function asJson(param: unknown): unknown {
  return typeof param === 'bigint' ? Number(param) : param;
}

function readResult(body: Buffer): unknown {
  const reply = parseBody(body);
  if (reply.error === undefined) return reply.result;
  const { code, message } = reply.error as { readonly code?: unknown; readonly message?: unknown };
  throw new NodeRefusal(Number(code), String(message));
}

function parseBody(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return parseReply(body.toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) throw notAnswered(error.message);
    throw error;
  }
}

function readStatus(value: unknown): SignatureStatus | undefined {
  if (value === null) return undefined;
  const { slot, err, confirmationStatus } = value as Readonly<Record<string, unknown>>;
  const error = err === null || err === undefined ? undefined : stringifyJson(err);
  return { slot: toSlot(slot), error, isConfirmed: confirmationStatus !== 'processed' };
}

function toSlot(value: unknown): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw notAnswered('a slot is not an integer');
}

function notAnswered(reason: string) {
  return serviceError('upstreamBroken', {}, new Error(reason));
}
