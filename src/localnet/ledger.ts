import { inspect } from 'node:util';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { AccountStore } from './accounts/account-store.ts';
import { Bank } from './bank/bank.ts';
import { Runtime } from './bank/runtime.ts';
import { BlockHistory } from './blocks/block-history.ts';
import { type ChainTip, type Commitment, commitmentOfSlot, slotAtCommitment } from './blocks/commitment.ts';
import { derivedAccounts } from './accounts/derived-accounts.ts';
import { SLOTS_PER_EPOCH } from './epoch/epoch.ts';
import { EpochTimes } from './epoch/epoch-times.ts';
import { createGenesis, type Genesis } from './genesis/genesis.ts';
import { genesisAccounts } from './genesis/genesis-accounts.ts';
import { LandingQueue } from './landing-queue.ts';
import type { LedgerFollower, SlotChanges } from './ledger-follower.ts';
import type { DecodedTransaction } from '../wire/message.ts';
import { PerformanceSamples } from './validator/performance-samples.ts';
import { type Landing, landTransaction } from './transaction/land.ts';

const INCINERATOR = '1nc1nerator11111111111111111111111111111111';

/** Defaults are those of spec/config.yaml. */
export type LedgerOptions = {
  /** The clock: milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly slotMs?: number;
  /** Number of slots between a block's confirmation and its finalization. */
  readonly finalitySlots?: number;
  /** Lamports per byte for rent exemption. */
  readonly lamportsPerByte?: number;
  /** Time before a transaction lands; absent: it lands at once. */
  readonly landingDelayMs?: number;
  /** Number of blocks kept. */
  readonly historySlots?: number;
  /** Number of transactions kept: the oldest blocks are dropped when there are more. */
  readonly historyTransactions?: number;
};

/**
 * A ledger of one validator. Transactions execute when they land, in the open slot, which is the processed bank; `tick` closes it as a
 * block. The previous block is confirmed, and finalized `finalitySlots` later. It starts after a genesis block and as many empty ones, so
 * that every commitment has its slot.
 */
export class Ledger {
  readonly genesis: Genesis;
  readonly runtime: Runtime;
  readonly blocks: BlockHistory;
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly samples: PerformanceSamples;
  readonly slotMs: number;
  readonly finalitySlots: bigint;
  /** "ip:port" of the ledger's RPC and subscriptions; null while it serves none. */
  rpcAddress: string | null = null;
  readonly #epochs: EpochTimes;
  readonly #nowMs: () => number;
  readonly #incoming: LandingQueue;
  readonly #followers = new Set<LedgerFollower>();

  constructor(options: LedgerOptions) {
    const { nowMs, slotMs = CONFIG_INTEGERS['localnet.slot_ms'].default } = options;
    const finalitySlots = options.finalitySlots ?? CONFIG_INTEGERS['localnet.finality_slots'].default;
    const perByte = options.lamportsPerByte ?? CONFIG_INTEGERS['localnet.lamports_per_byte'].default;
    const slots = options.historySlots ?? CONFIG_INTEGERS['localnet.history_slots'].default;
    this.#nowMs = nowMs;
    this.slotMs = slotMs;
    this.finalitySlots = BigInt(finalitySlots);
    this.runtime = new Runtime(BigInt(perByte));
    const startMs = nowMs();
    const firstSlot = this.finalitySlots + 1n;
    this.genesis = createGenesis(startMs - Number(firstSlot) * slotMs);
    this.#epochs = new EpochTimes(this.genesis.time);
    const transactions =
      options.historyTransactions ?? CONFIG_INTEGERS['localnet.history_transactions'].default;
    this.blocks = new BlockHistory({ slots, transactions }, this.genesis);
    this.accounts = new AccountStore(derivedAccounts(this.blocks, this.#epochs, this.genesis));
    for (const { address, account } of genesisAccounts(this.runtime, this.genesis))
      this.accounts.write(address, account, 0n);
    this.accounts.finalize(0n);
    this.bank = new Bank(this.runtime, this.accounts);
    while (this.blocks.openSlot < firstSlot)
      this.#close(startMs - Number(firstSlot - this.blocks.openSlot - 1n) * slotMs);
    this.samples = new PerformanceSamples(this.#progress());
    this.#incoming = new LandingQueue({
      delayMs: options.landingDelayMs ?? 0,
      land: (transaction) => this.send(transaction),
      onFailure: (error) => process.emitWarning(`localnet: a transaction was lost: ${inspect(error)}`),
    });
  }

  /** Returns the slot of the bank at a commitment. */
  slotAt(commitment: Commitment): bigint {
    return slotAtCommitment(this.#tip, commitment);
  }

  /** Returns the commitment that a slot has reached. */
  commitmentOf(slot: bigint): Commitment {
    return commitmentOfSlot(this.#tip, slot);
  }

  /** Closes the open slot as a block and opens the next one. */
  tick(): void {
    const timeMs = this.#nowMs();
    const slot = this.blocks.openSlot;
    this.#burn();
    const closed = this.#changesOf(slot);
    const finalized = this.#changesOf(slot - this.finalitySlots);
    this.#close(timeMs);
    this.samples.observe(this.#progress());
    for (const { advanced } of this.#followers)
      advanced({ closed, finalized, openSlot: this.blocks.openSlot, timeMs });
  }

  /** Queues a sanitized transaction, which lands a moment later. */
  submit(transaction: DecodedTransaction): void {
    this.#incoming.add(transaction);
  }

  /** True when a transaction has landed or is pending. */
  isKnown(transaction: DecodedTransaction): boolean {
    const [signature = ''] = transaction.signatures;
    return this.blocks.index.find(signature) !== undefined || this.#incoming.has(transaction);
  }

  /** Stops the ledger; pending transactions are lost. */
  stop(): void {
    this.#incoming.stop();
  }

  /** Executes a sanitized transaction into the open slot. */
  send(transaction: DecodedTransaction): Landing {
    const landing = landTransaction(this, transaction);
    if (landing.kind === 'landed') for (const { landed } of this.#followers) landed(landing.record);
    return landing;
  }

  /** Sends a follower all events from now on. Returns a function that stops that. */
  follow(follower: LedgerFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** For a slot that is not finalized yet. */
  #changesOf(slot: bigint): SlotChanges {
    return { slot, written: this.accounts.writtenIn(slot) };
  }

  #close(timeMs: number): void {
    this.blocks.close(BigInt(Math.trunc(timeMs / 1000)));
    const { openSlot } = this.blocks;
    if (openSlot % SLOTS_PER_EPOCH === 0n) this.#epochs.begin(this.blocks.time(openSlot));
    const finalized = this.slotAt('finalized');
    if (finalized >= 0n) this.accounts.finalize(finalized);
  }

  get #tip(): ChainTip {
    return { openSlot: this.blocks.openSlot, finalitySlots: this.finalitySlots };
  }

  /** Lamports sent to the incinerator are burnt when its slot closes. */
  #burn(): void {
    const { openSlot } = this.blocks;
    if (this.accounts.read(INCINERATOR, openSlot) !== undefined)
      this.bank.write(INCINERATOR, undefined, openSlot);
  }

  #progress(): { readonly timeMs: number; readonly slot: bigint; readonly transactions: number } {
    const slot = this.blocks.openSlot - 1n;
    return { timeMs: this.#nowMs(), slot, transactions: this.blocks.transactionCount(slot) };
  }
}
