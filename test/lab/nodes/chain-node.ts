import { base58 } from '@scure/base';
import { ServiceError, serviceError } from '../../../src/core/service-error.ts';
import type { Commitment } from '../../../src/core/rpc/commitment.ts';
import type { UpstreamReply } from '../../../src/core/rpc/upstream-reply.ts';
import {
  type Upstream,
  type UpstreamRequest,
  BrokenConnection,
} from '../../../src/gateway/nodes/upstream.ts';

export const SLOT_MS = 200;
export const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
export const OTHER_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** Lamports that accounts of the other ledger have more. */
const FOREIGN = 1_000_000_000;
/** The methods by which a lying node is asked for its progress. */
const SAYS_HOW_FAR: ReadonlySet<string> = new Set(['getSlot', 'getGenesisHash', 'getVersion']);
/** The slots by which each commitment is behind the newest one. */
const DEPTH: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 2, finalized: 32 };
const FIRST = 1_000_000;

/** The newest slot of the chain at the present (or fake) time. */
export const chainSlot = (): number => FIRST + Math.floor(performance.now() / SLOT_MS);

export type NodeFault = 'refuses' | 'breaks' | 'hangs' | 'internal' | 'busy';

/** A node of the chain without a network between, whose state a test changes. */
export class ChainNode implements Upstream {
  /** Slots that it is behind the chain. */
  lag = 0;
  /** Slots of shreds that it has not processed. */
  shredsAhead = 0;
  /** Slots that its processed ones went back to another fork; at most 2, or they would be behind its confirmed ones. */
  forked = 0;
  genesis = GENESIS;
  firstSlot = 0;
  fault: NodeFault | undefined;
  /** Methods that it answers with the code of an error, or not as a node does. */
  readonly failing = new Map<string, number | ServiceError>();
  /** Where it says it is, as an embedded ledger does; other nodes do not know the method. */
  position: object | undefined;
  /** Milliseconds until it answers. */
  delayMs = 0;
  /** False: it ignores minContextSlot, as nodes do with members that they do not know. */
  knowsMinContextSlot = true;
  /** Its version, as it says it. */
  version = '4.4.0';
  /** The last slot before Alpenglow; undefined: its network runs Tower BFT. */
  alpenglowFrom: number | undefined;
  /** The address that every block rewards; undefined: none. */
  rewarded: string | undefined;
  /** It claims to be up to date, and answers reads from a state that is this number of slots older, whatever they ask for. */
  staleSlots = 0;
  /** It is a node of another ledger: what it says of accounts is not so on this one. */
  isForeign = false;
  /** The slots of the transactions of which it has the status. */
  readonly landed = new Map<string, number>();
  /** Clients' calls that reached it. */
  readonly seen: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  /** All calls, those of the gateway's own too. */
  calls = 0;
  /** The number of times it took each transaction, by its bytes. */
  readonly taken = new Map<string, number>();

  readonly send = async ({ body, signal }: UpstreamRequest): Promise<UpstreamReply> => {
    const text = body.toString();
    if (text.startsWith('[')) return this.#batch(text, signal);
    const call = JSON.parse(text) as Call;
    return whole(JSON.stringify(await this.#answer(call, signal)));
  };

  readonly close = async (): Promise<void> => undefined;

  /** True while it refuses calls unread: it does not take them. */
  get isRefusing(): boolean {
    return this.fault === 'refuses' || this.fault === 'busy';
  }

  /** The number of calls of a method from clients that reached it. */
  asked(method: string): number {
    return this.seen.filter((call) => call.method === method).length;
  }

  /** The time (`performance.now()`) at which a slot is finalized, for a node that is not behind. */
  finalizedAtMs(slot: number): number {
    const isFinal = this.alpenglowFrom !== undefined && slot > this.alpenglowFrom;
    return (slot - FIRST + DEPTH[isFinal ? 'confirmed' : 'finalized']) * SLOT_MS;
  }

  slot(commitment: Commitment = 'processed'): number {
    const newest = chainSlot() - this.lag;
    const isFinal = this.alpenglowFrom !== undefined && newest > this.alpenglowFrom;
    const depth = DEPTH[isFinal && commitment === 'finalized' ? 'confirmed' : commitment];
    return newest - depth - (commitment === 'processed' ? this.forked : 0);
  }

  async #batch(text: string, signal: UpstreamRequest['signal']): Promise<UpstreamReply> {
    const calls = JSON.parse(text) as readonly Call[];
    return whole(JSON.stringify(await Promise.all(calls.map((call) => this.#answer(call, signal)))));
  }

  async #answer({ id, method, params = [] }: Call, signal: UpstreamRequest['signal']): Promise<unknown> {
    this.calls++;
    if (id !== 'keyslot') this.seen.push({ method, params });
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    signal.throwIfAborted();
    if (method === 'sendTransaction' && !this.isRefusing) {
      const wire = String(params[0]);
      this.taken.set(wire, (this.taken.get(wire) ?? 0) + 1);
    }
    if (this.fault === 'hangs') return new Promise((_, reject) => void signal.onAbort(reject));
    if (this.fault === 'refuses') throw serviceError('upstreamUnavailable');
    if (this.fault === 'busy') throw serviceError('upstreamBusy');
    if (this.fault === 'breaks') throw serviceError('upstreamBroken', {}, new BrokenConnection('broke'));
    const failing = this.failing.get(method);
    if (failing instanceof ServiceError) throw failing;
    const outcome =
      failing !== undefined
        ? failure(failing, 'the method fails')
        : this.fault === 'internal'
          ? failure(-32603, 'Internal error')
          : this.#outcomeOf(method, params);
    return { jsonrpc: '2.0', ...outcome, id };
  }

  #outcomeOf(method: string, params: readonly unknown[]): object {
    const config = (params.findLast((param) => typeof param === 'object') ?? {}) as Config;
    const isStale = this.staleSlots > 0 && !SAYS_HOW_FAR.has(method);
    const slot = this.slot(config.commitment ?? 'finalized') - (isStale ? this.staleSlots : 0);
    const least = config.minContextSlot ?? 0;
    if (this.knowsMinContextSlot && !isStale && slot < least)
      return failure(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
    switch (method) {
      case 'getGenesisHash':
        return { result: this.isForeign ? OTHER_GENESIS : this.genesis };
      case 'getAgGenesisCert':
        return { result: certificateOf(this.alpenglowFrom) };
      case 'getMaxShredInsertSlot':
        return { result: this.slot('processed') + this.shredsAhead };
      case 'getFirstAvailableBlock':
      case 'minimumLedgerSlot':
        return { result: this.firstSlot };
      case 'localnet_getPosition':
        return this.position === undefined ? failure(-32601, 'Method not found') : { result: this.position };
      case 'getVersion':
        return { result: { 'solana-core': this.version, 'feature-set': 7 } };
      case 'getSlot':
        return { result: slot };
      case 'getBlockHeight':
        return { result: slot - 100_000 };
      case 'getAccountInfo':
        return {
          result: { context: { apiVersion: this.version, slot }, value: accountAt(this.#shown(slot)) },
        };
      case 'getBlocksWithLimit':
        return { result: this.#slotsFrom(Number(params[0]), Number(params[1]), slot) };
      case 'getSignaturesForAddress':
        return { result: this.#signaturesOf(config.limit ?? 1_000, slot) };
      case 'getSignatureStatuses':
        return { result: { context: { slot }, value: this.#statusesOf(params[0] as readonly string[]) } };
      case 'getBlock':
      case 'getTransaction':
        return this.#past(method, Number(params[0]));
      case 'sendTransaction':
        return { result: 'signature' };
      default:
        return { result: { context: { apiVersion: this.version, slot }, value: this.#shown(slot) } };
    }
  }

  #statusesOf(signatures: readonly string[]): readonly unknown[] {
    return signatures.map((signature) => {
      const slot = this.landed.get(signature);
      return slot === undefined ? null : { slot, confirmations: null, err: null, status: { Ok: null } };
    });
  }

  /** The lamports of an account at a slot: on this ledger the slot itself. */
  #shown(slot: number): number {
    return this.isForeign ? slot + FOREIGN : slot;
  }

  #slotsFrom(first: number, limit: number, newest: number): readonly number[] {
    const from = Math.max(first, this.firstSlot);
    return Array.from(
      { length: Math.max(0, Math.min(limit, newest - from + 1)) },
      (_, index) => from + index,
    );
  }

  /** Newest first: every address is named in each hundredth slot. */
  #signaturesOf(limit: number, newest: number): readonly object[] {
    const last = newest - (newest % 100);
    const count = Math.min(limit, Math.floor((last - this.firstSlot) / 100) + 1);
    return Array.from({ length: Math.max(0, count) }, (_, index) => {
      return { signature: `in slot ${last - 100 * index}`, slot: last - 100 * index };
    });
  }

  #rewardsAt(slot: number): readonly object[] {
    const { rewarded: pubkey } = this;
    if (pubkey === undefined) return [];
    return [{ pubkey, lamports: 1, postBalance: slot, rewardType: 'Fee', commission: null }];
  }

  /** A block, or the transaction of a slot: a test names it by its slot. */
  #past(method: string, slot: number): object {
    if (slot > this.slot('confirmed')) return failure(-32004, `Block not available for slot ${slot}`);
    if (slot >= this.firstSlot) return { result: { slot, ...blockAt(slot), rewards: this.#rewardsAt(slot) } };
    return method === 'getTransaction' ? { result: null } : failure(-32001, 'Block was cleaned up');
  }
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type Config = {
  readonly commitment?: Commitment;
  readonly minContextSlot?: number;
  readonly limit?: number;
};

/** As much of a certificate as says which block it is of. */
function certificateOf(slot: number | undefined): object | null {
  if (slot === undefined) return null;
  const blockId = Array.from({ length: 32 }, (_, index) => (slot + index) % 256);
  return { block: { slot, blockId }, signature: { signature: [], bitmap: [] } };
}

function failure(code: number, message: string, data?: unknown): object {
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function whole(text: string): UpstreamReply {
  return { kind: 'whole', body: Buffer.from(text), isError: false };
}

/** The state of the account that every slot of the chain changes: its lamports are the slot. */
export function accountAt(slot: number) {
  return {
    lamports: slot,
    data: ['', 'base64'],
    owner: '11111111111111111111111111111111',
    executable: false,
    rentEpoch: 0,
    space: 0,
  };
}

/** The block of a slot, as `getBlock` answers it: every slot of the chain has one, and it is empty. */
function blockAt(slot: number) {
  return {
    blockhash: hashAt(slot),
    previousBlockhash: hashAt(slot - 1),
    parentSlot: slot - 1,
    blockHeight: slot - 100_000,
    blockTime: 1_700_000_000 + slot,
    transactions: [],
  };
}

/** The blockhash of a slot. */
export function hashAt(slot: number): string {
  const bytes = Buffer.alloc(32, 7);
  bytes.writeUInt32BE(slot, 0);
  return base58.encode(bytes);
}
