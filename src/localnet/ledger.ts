import { inspect, isDeepStrictEqual } from 'node:util';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { type AccountState, AccountStore } from './accounts/account-store.ts';
import { burnIncinerated } from './bank/burn-incinerated.ts';
import { Bank } from './bank/bank.ts';
import { Runtime } from './bank/runtime.ts';
import { BlockHistory, type HistoryLimits } from './blocks/block-history.ts';
import { type Commitment, commitmentOfSlot, slotAtCommitment } from './blocks/commitment.ts';
import { type Consensus, finalitySlotsUnder, DEFAULT_CONSENSUS } from './consensus.ts';
import { leaveState } from './accounts/left-state.ts';
import { derivedAccounts } from './accounts/derived-accounts.ts';
import { EpochSchedule } from './epoch/epoch.ts';
import { equalEpochs, type EpochLengths } from './epoch/epoch-lengths.ts';
import { beginEpoch, beginSlot } from './epoch/begin-slot.ts';
import { EpochTimes } from './epoch/epoch-times.ts';
import type { AccountChange } from './disk/account-bytes.ts';
import type { ChainBase } from './disk/chain-base.ts';
import type { Manifest } from './disk/manifest.ts';
import type { StoredChain, StoredLedger } from './disk/open-ledger-folder.ts';
import { restoreRuntime } from './disk/restore-runtime.ts';
import type { Fork } from './fork/fork.ts';
import { type Genesis, createGenesis } from './genesis/genesis.ts';
import { genesisAccounts } from './genesis/genesis-accounts.ts';
import type { GenesisAdditions, FeatureChanges } from './genesis/genesis-additions.ts';
import { LandingQueue } from './landing-queue.ts';
import type { TransactionRecord } from './model.ts';
import type { LedgerSnapshot, SnapshotSettings } from './ledger-state.ts';
import type { LedgerFollower, LedgerKeeper, OpenedSlot, SlotChanges } from './ledger-follower.ts';
import type { DecodedTransaction } from '../core/wire/message.ts';
import { LedgerClock } from './time/ledger-clock.ts';
import { SlotPace } from './time/slot-pace.ts';
import { KeptStates } from './trace/kept-states.ts';
import type { ProgramIdl } from './trace/idl/program-idl.ts';
import { PerformanceSamples, type Progress } from './validator/performance-samples.ts';
import { countEarlierVotes } from './validator/vote-state.ts';
import { isVote } from './validator/is-vote.ts';
import { voteTransaction } from './validator/vote-transaction.ts';
import { type Landing, landTransaction } from './transaction/land.ts';

const NO_ADDITIONS: GenesisAdditions = { accounts: [] };

/**
 * A ledger of one validator. Transactions execute when they land, in the open slot, which is the processed bank; `tick` closes it as a
 * block. The previous block is confirmed, and finalized `finalitySlots` later. It starts after a first block and as many empty ones, so
 * that every commitment has its slot. The first block is that of slot 0, or with `warpSlot` that of a later one.
 */
export class Ledger {
  genesis: Genesis;
  readonly runtime: Runtime;
  readonly blocks: BlockHistory;
  readonly accounts: AccountStore;
  readonly bank: Bank;
  /** Undefined: it has only its own accounts. */
  readonly fork: Fork | undefined;
  readonly samples: PerformanceSamples;
  readonly clock: LedgerClock;
  readonly pace: SlotPace;
  readonly consensus: Consensus;
  readonly finalitySlots: bigint;
  /** "ip:port" of the ledger's RPC and subscriptions; null while it serves none. */
  rpcAddress: string | null = null;
  /** True when the ledger ends: calls that close many slots then fail. */
  isStopped = false;
  readonly epochs: EpochSchedule;
  readonly votes: boolean;
  /** True when the cheat codes are served. */
  readonly cheatCodes: boolean;
  /** Keys whose signatures are not required. */
  readonly impersonated = new Set<string>();
  /** By name. */
  readonly snapshots = new Map<string, LedgerSnapshot>();
  /** Directory and size limits of snapshots. */
  readonly snapshotSettings: SnapshotSettings;
  /** Registered IDLs, by program. */
  readonly idls = new Map<string, ProgramIdl>();
  /** Accounts before and after each transaction; only with cheat codes. */
  readonly keptStates: KeptStates | undefined;
  /** The accounts that it started with; only with cheat codes. */
  readonly startAccounts: AccountState | undefined;
  /** The parameters that it began with. */
  readonly manifest: Manifest;
  /** Transactions that are pending. */
  readonly incoming: LandingQueue;
  readonly #epochTimes: EpochTimes;
  readonly #followers = new Set<LedgerFollower>();
  /** Undefined: the ledger is only in memory. */
  keeper: LedgerKeeper | undefined;

  constructor(options: LedgerOptions) {
    const { stored, computeUnitLimit, additions = NO_ADDITIONS } = options;
    this.clock = new LedgerClock(options.nowMs);
    const startMs = this.clock.nowMs();
    this.pace = new SlotPace(options.slotMs ?? CONFIG_INTEGERS['localnet.slot_ms'].default);
    const { genesis, manifest, base } = ledgerStart(options, startMs);
    this.consensus = manifest.consensus;
    this.finalitySlots = BigInt(finalitySlotsUnder(this.consensus, options.finalitySlots));
    const { lamportsPerByte, features, slotsPerEpoch } = manifest;
    this.genesis = genesis;
    this.manifest = manifest;
    this.runtime = new Runtime({ lamportsPerByte: BigInt(lamportsPerByte), features, computeUnitLimit });
    this.epochs = new EpochSchedule(manifest.epochs ?? equalEpochs(BigInt(slotsPerEpoch)));
    this.#epochTimes = new EpochTimes(this.epochs.epochOf(base.slot), base.epochStart);
    const isOwnVote = ({ transaction }: TransactionRecord): boolean =>
      transaction.message.staticKeys[0] === genesis.identity.address && isVote(transaction);
    this.blocks = new BlockHistory(historyLimitsOf(options), { ...base, hash: base.blockhash });
    this.votes = this.consensus === 'tower' && options.votes === true;
    this.cheatCodes = options.cheatCodes === true;
    this.keptStates = this.cheatCodes ? new KeptStates(isOwnVote) : undefined;
    this.snapshotSettings = options.snapshots ?? {};
    this.fork = options.fork;
    const derived = derivedAccounts({ ...this, epochTimes: this.#epochTimes });
    this.accounts = new AccountStore(derived, this.fork?.addresses);
    this.bank = new Bank(this.runtime, this.accounts);
    if (stored === undefined) {
      this.#setState(genesisAccounts(this.runtime, { ...this, additions, slot: base.slot }), base.slot);
      this.#closeEmptySlots(startMs);
    } else this.#resume(stored.chain, startMs);
    this.startAccounts = this.cheatCodes ? this.accounts.take() : undefined;
    this.#vote();
    this.samples = new PerformanceSamples(this.#progress());
    this.incoming = new LandingQueue({
      delayMs: options.landingDelayMs ?? 0,
      land: (transaction) => this.#land(transaction),
      onFailure: (error) => process.emitWarning(`localnet: a transaction was lost: ${inspect(error)}`),
    });
  }

  /** Returns the slot of the bank at a commitment. */
  slotAt(commitment: Commitment): bigint {
    return slotAtCommitment(this, commitment);
  }

  /** Returns the commitment that a slot has reached. */
  commitmentOf(slot: bigint): Commitment {
    return commitmentOfSlot(this, slot);
  }

  /**
   * Closes the open slot as a block and opens the next one, or a later one; the slots between have no block and do not count in the
   * throughput.
   */
  tick(next?: OpenedSlot): void {
    const timeMs = this.clock.nowMs();
    const slot = this.blocks.openSlot;
    burnIncinerated({ accounts: this.accounts, bank: this.bank, openSlot: slot });
    const closed = this.#changesOf(slot);
    const finalized = this.#changesOf(this.blocks.ancestor(slot, this.finalitySlots));
    this.#close(timeMs, next);
    this.keeper?.append(closed);
    beginSlot(this);
    this.samples.observe(this.#progress());
    if (next !== undefined) {
      this.clock.set(next.timeMs);
      this.samples.restart({ ...this.#progress(), slot: next.slot - 1n });
    }
    for (const { advanced } of this.#followers)
      advanced({ closed, finalized, openSlot: this.blocks.openSlot, timeMs });
    this.#vote();
  }

  /** Captures the current state, including the open slot. */
  take(): LedgerSnapshot {
    const { accounts, blocks, samples, clock } = this;
    return {
      accounts: accounts.take(),
      blocks: blocks.take(),
      samples: samples.take(),
      epochTimes: this.#epochTimes.take(),
      timeMs: clock.nowMs(),
      genesis: this.genesis,
    };
  }

  /**
   * Goes to a captured state, clock included, and continues from there. Pending transactions are lost. @throws ServiceError branchNotKept.
   */
  goTo(state: LedgerSnapshot): void {
    this.keeper?.branch(state);
    this.incoming.stop();
    const left = leaveState(this.accounts, (commitment) => this.slotAt(commitment));
    const { changed, differing } = this.accounts.goTo(state.accounts);
    this.blocks.goTo(state.blocks);
    this.samples.goTo(state.samples);
    this.#epochTimes.goTo(state.epochTimes);
    this.genesis = state.genesis;
    this.clock.set(state.timeMs);
    const { openSlot } = this.blocks;
    this.bank.follow(changed, openSlot);
    const [closed, finalized] = [this.slotAt('confirmed'), this.slotAt('finalized')];
    const jump = { closed: { slot: closed, written: [] }, finalized: { slot: finalized, written: [] } };
    for (const { jumped } of this.#followers)
      jumped?.({ ...jump, openSlot, timeMs: state.timeMs, differing, before: left.read });
    left.release();
  }

  /** Queues a sanitized transaction, which lands a moment later. */
  submit(transaction: DecodedTransaction): void {
    this.incoming.add(transaction);
  }

  /** True when a transaction has landed or is pending. */
  isKnown(transaction: DecodedTransaction): boolean {
    const [signature = ''] = transaction.signatures;
    return this.blocks.index.find(signature) !== undefined || this.incoming.has(transaction);
  }

  /** Executes a sanitized transaction into the open slot. */
  send(transaction: DecodedTransaction): Landing {
    const landing = landTransaction(this, transaction);
    if (landing.kind === 'landed') for (const { landed } of this.#followers) landed(landing.record);
    return landing;
  }

  #land(transaction: DecodedTransaction): void {
    const { kind } = this.send(transaction);
    if (kind === 'landed' && this.pace.production === 'transaction' && !this.clock.isStopped) this.tick();
  }

  /** Sends a follower all events from now on. Returns a function that stops that. */
  follow(follower: LedgerFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** The slot must not be finalized yet. */
  #changesOf(slot: bigint): SlotChanges {
    return { slot, written: this.accounts.writtenIn(slot) };
  }

  /** Passes every slot that is closed from now on, and every state that it goes to, to a keeper before anyone is notified. */
  keepBy(keeper: LedgerKeeper): void {
    this.keeper = keeper;
    this.fork?.addresses.keepAdopted();
  }

  /** Returns everything that later slots need of the chain up to a closed slot. */
  baseAt(slot: bigint): ChainBase {
    const { blocks } = this;
    return {
      slot,
      blockhash: blocks.blockhashBytes(slot),
      time: blocks.time(slot),
      transactionCount: blocks.transactionCount(slot),
      epochStart: this.#epochTimes.start(this.epochs.epochOf(slot)),
    };
  }

  /** Sets all accounts to their state at the end of a slot. */
  #setState(accounts: readonly AccountChange[], slot: bigint): void {
    for (const { address, account } of accounts) this.accounts.write(address, account, slot);
    this.accounts.finalize(slot);
  }

  #closeEmptySlots(nowMs: number): void {
    const firstSlot = this.blocks.openSlot - 1n + emptySlotsOf(this.finalitySlots);
    while (this.blocks.openSlot < firstSlot) {
      countEarlierVotes(this);
      this.#close(nowMs - Number(firstSlot - this.blocks.openSlot - 1n) * this.pace.slotMs);
      beginSlot(this);
    }
    countEarlierVotes(this);
  }

  /** Closes every slot of a stored chain again without executing its transactions. Its time continues, even if ahead of the machine's. */
  #resume({ first, base, accounts, slots }: StoredChain, nowMs: number): void {
    if (first.slot === base.slot) this.#setState(accounts, base.slot);
    for (const record of slots()) {
      const { slot, time, accounts: written } = record;
      if (slot > this.blocks.openSlot) {
        this.blocks.skipTo(slot, time);
        beginEpoch(this, this.#epochTimes);
      }
      this.blocks.replay(record);
      if (slot > base.slot) for (const change of written) this.accounts.redo(change, slot);
      this.#settle();
      if (slot === base.slot) this.#setState(accounts, slot);
    }
    restoreRuntime(this);
    beginSlot(this);
    const lastMs = Number(this.blocks.time(this.blocks.openSlot)) * 1000;
    if (lastMs > nowMs) this.clock.set(lastMs);
  }

  #close(timeMs: number, next?: OpenedSlot): void {
    this.blocks.close(BigInt(Math.trunc(timeMs / 1000)));
    if (next !== undefined) this.blocks.skipTo(next.slot, BigInt(Math.trunc(next.timeMs / 1000)));
    this.#settle();
  }

  /** Votes for the slot that was closed last. If the validator cannot pay, its vote does not land, as on any node. */
  #vote(): void {
    if (this.votes) this.send(voteTransaction(this.blocks, this.genesis, this.slotAt('confirmed')));
  }

  /** Changes by a closed slot in addition to its block. */
  #settle(): void {
    beginEpoch(this, this.#epochTimes);
    const finalized = this.slotAt('finalized');
    if (finalized >= this.blocks.firstAvailable) this.accounts.finalize(finalized);
  }

  #progress(): Progress {
    const slot = this.slotAt('confirmed');
    const { voteCount: votes } = this.blocks;
    return { timeMs: this.clock.nowMs(), slot, transactions: this.blocks.transactionCount(slot), votes };
  }
}

/** The starting point of a ledger. */
type LedgerStart = {
  readonly genesis: Genesis;
  readonly manifest: Manifest;
  /** The block on which its blocks are built. */
  readonly base: ChainBase & { readonly isPurged: boolean };
};

/** Number of empty slots at the start, so that every commitment has its slot. */
function emptySlotsOf(finalitySlots: bigint): bigint {
  return finalitySlots + 1n;
}

/** Returns the starting point of a ledger: a new genesis this many slots ago, or a ledger on disk, whose own parameters win. */
function ledgerStart(options: LedgerOptions, nowMs: number): LedgerStart {
  const { stored, slotMs = CONFIG_INTEGERS['localnet.slot_ms'].default, fork } = options;
  if (stored !== undefined) {
    const { manifest, chain } = stored;
    const { genesisHash: hash, genesisTime: time, faucetLamports } = manifest;
    const isPurged = Buffer.compare(chain.first.blockhash, hash) !== 0;
    const genesis = { ...createGenesis(0, faucetLamports), hash, time };
    return { genesis, manifest, base: { ...chain.first, isPurged } };
  }
  const { consensus = DEFAULT_CONSENSUS } = options;
  const emptySlots = emptySlotsOf(BigInt(finalitySlotsUnder(consensus, options.finalitySlots)));
  // No account of a fork is known to be from a later slot than the first one.
  const warpSlot = options.warpSlot ?? (fork === undefined ? 0n : fork.origin.slot + 1n + emptySlots);
  const slot = warpSlot > emptySlots ? warpSlot - emptySlots : 0n;
  const genesis = createGenesis(nowMs - Number(emptySlots) * slotMs, options.additions?.faucetLamports);
  const { hash, time, faucetLamports } = genesis;
  const epochs = epochsOf(options);
  return {
    genesis,
    manifest: {
      genesisHash: hash,
      genesisTime: time,
      faucetLamports,
      features: options.features,
      consensus,
      fork: fork?.origin,
      branch: 0,
      slotsPerEpoch: Number(epochs.slotsPerEpoch),
      ...(isDeepStrictEqual(epochs, equalEpochs(epochs.slotsPerEpoch)) ? {} : { epochs }),
      lamportsPerByte: options.lamportsPerByte ?? CONFIG_INTEGERS['localnet.lamports_per_byte'].default,
    },
    base: { slot, blockhash: hash, time, epochStart: time, transactionCount: 0, isPurged: false },
  };
}

/** The requested epochs, else those of a fork's node. */
function epochsOf({ slotsPerEpoch, fork }: LedgerOptions): EpochLengths {
  if (slotsPerEpoch === undefined && fork?.origin.epochs !== undefined) return fork.origin.epochs;
  return equalEpochs(BigInt(slotsPerEpoch ?? CONFIG_INTEGERS['localnet.slots_per_epoch'].default));
}

/** Returns the limits of the history. */
function historyLimitsOf({ historySlots, historyTransactions }: LedgerOptions): HistoryLimits {
  return {
    slots: historySlots ?? CONFIG_INTEGERS['localnet.history_slots'].default,
    transactions: historyTransactions ?? CONFIG_INTEGERS['localnet.history_transactions'].default,
  };
}

/** Defaults are those of spec/config.yaml. */
export type LedgerOptions = {
  /** The clock: milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly slotMs?: number;
  /** For a new ledger only. */
  readonly consensus?: Consensus | undefined;
  /** Under `tower`: number of slots between a block's confirmation and its finalization. */
  readonly finalitySlots?: number | undefined;
  /** Lamports per byte for rent exemption. */
  readonly lamportsPerByte?: number;
  /** Time before a transaction lands; absent: it lands at once. */
  readonly landingDelayMs?: number;
  /** Number of blocks kept. */
  readonly historySlots?: number;
  /** Number of transactions kept: the oldest blocks are dropped when there are more. */
  readonly historyTransactions?: number;
  readonly slotsPerEpoch?: number;
  /** Under `tower`: the validator votes for every slot by a transaction in the next one. */
  readonly votes?: boolean;
  /** The slot that is open at the start, unless the chain is beyond it already. */
  readonly warpSlot?: bigint | undefined;
  readonly additions?: GenesisAdditions | undefined;
  readonly features?: FeatureChanges | undefined;
  /** Compute units of every transaction, whatever it requests. */
  readonly computeUnitLimit?: bigint | undefined;
  /** The cheat codes are served. */
  readonly cheatCodes?: boolean;
  readonly snapshots?: SnapshotSettings | undefined;
  /** The source of accounts that are touched for the first time. Used by this ledger only. */
  readonly fork?: Fork | undefined;
  /** A ledger on disk to continue. Its own parameters override these options. */
  readonly stored?: StoredLedger | undefined;
};
