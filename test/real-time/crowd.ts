import { generateKeyPairSigner } from '@solana/kit';
import { eventually } from '../../src/core/eventually.ts';
import { call, type RpcTarget } from '../../src/devkit/contract/json-rpc.ts';
import type { RunningKeyslot } from '../support/keyslot.ts';
import { faultsOf, type Refill } from './compare.ts';
import { PATIENCE_MS } from './stream-watch.ts';
import { type Entry, openRecorder, type RecordOf, type Recorder } from './record.ts';

/** Accounts that transactions change; every one is watched by many sockets. */
const ACCOUNTS = 20;

/** A subscription, and how what is lost of it is made up for. */
type Wanted = { readonly method: string; readonly params: readonly unknown[]; readonly refill: Refill };
type Told = { readonly record: RecordOf; readonly truth: RecordOf; readonly refill: Refill };

/** The ten subscriptions of a socket. */
function wantedOf(socket: number, accounts: readonly string[]): readonly Wanted[] {
  const at = (offset: number): string => accounts[(socket + offset) % ACCOUNTS] ?? '';
  const account = (offset: number, commitment: string): Wanted => ({
    method: 'accountSubscribe',
    refill: 'state',
    params: [at(offset), { encoding: 'base64', commitment }],
  });
  const logs = (filter: unknown, commitment: string): Wanted => ({
    method: 'logsSubscribe',
    refill: 'all',
    params: [filter, { commitment }],
  });
  return [
    { method: 'slotSubscribe', params: [], refill: 'none' },
    { method: 'rootSubscribe', params: [], refill: 'none' },
    ...[account(0, 'confirmed'), account(1, 'confirmed'), account(2, 'confirmed'), account(3, 'finalized')],
    ...[logs({ mentions: [at(0)] }, 'confirmed'), logs({ mentions: [at(4)] }, 'confirmed')],
    ...[logs({ mentions: [at(0)] }, 'finalized'), logs('all', 'confirmed')],
  ];
}

/**
 * Sockets at a gateway, each with ten subscriptions, and a witness with the same ones at the ledger itself: what the crowd was told is
 * held against what the witness was.
 */
export class Crowd {
  readonly sockets: Recorder[] = [];
  readonly #ledger: RpcTarget;
  readonly #witness: Recorder;
  readonly #accounts: readonly string[];
  readonly #told: Told[] = [];
  #signatures: { readonly record: RecordOf; readonly sentAtSlot: number }[] = [];
  #turn = 0;
  #from = 0;
  /** The slot of the last mark of each account. */
  #marks: ReadonlyMap<string, number> = new Map();

  private constructor(ledger: RpcTarget, witness: Recorder, accounts: readonly string[]) {
    this.#ledger = ledger;
    this.#witness = witness;
    this.#accounts = accounts;
  }

  static async open(ledger: RpcTarget, gateway: RunningKeyslot, sockets: number): Promise<Crowd> {
    const signers = Array.from({ length: ACCOUNTS }, () => generateKeyPairSigner());
    const accounts = (await Promise.all(signers)).map(({ address }) => address);
    const crowd = new Crowd(ledger, await openRecorder(socketUrl(ledger)), accounts);
    const truths = new Map<string, RecordOf>();
    for (let at = 0; at < sockets; at += 1) {
      const socket = await openRecorder(socketUrl(gateway));
      crowd.sockets.push(socket);
      for (const { method, params, refill } of wantedOf(at, accounts)) {
        const key = JSON.stringify([method, params]);
        const truth = truths.get(key) ?? (await crowd.#witness.subscribe(method, params));
        truths.set(key, truth);
        crowd.#told.push({ record: await socket.subscribe(method, params), truth, refill });
      }
    }
    crowd.#from = (await crowd.slot('processed')) + 1;
    return crowd;
  }

  /** The newest slot that the first socket was notified of. */
  get newestSlot(): number {
    return this.#told[0] === undefined ? -1 : lastSlotOf(this.#told[0].record);
  }

  slot(commitment: string): Promise<number> {
    return call(this.#ledger, 'getSlot', [{ commitment }]).then(Number);
  }

  /** Sends a transaction to the ledger itself, and has one of the sockets wait for its signature. */
  async transact(): Promise<void> {
    const signature = await this.send();
    const turn = this.#turn;
    const commitment = turn % 2 === 0 ? 'confirmed' : 'finalized';
    const socket = this.sockets[(turn * 7) % this.sockets.length];
    const sentAtSlot = await this.slot('processed');
    const record = await socket?.subscribe('signatureSubscribe', [signature, { commitment }]);
    if (record !== undefined) this.#signatures.push({ record, sentAtSlot });
  }

  /** Sends a transaction to the ledger itself. */
  send(): Promise<unknown> {
    return this.#change(this.#accounts[((this.#turn + 1) * 3) % ACCOUNTS]);
  }

  #change(address: string | undefined): Promise<unknown> {
    this.#turn += 1;
    return call(this.#ledger, 'requestAirdrop', [address, 1_000_000 + this.#turn]);
  }

  /**
   * Changes every account once more, and waits until that is final. Since order holds in each subscription, one that was notified of
   * its mark has nothing older to come: no time limit decides what is missing.
   *
   * @returns the slot of the last mark.
   */
  async mark(): Promise<number> {
    const signatures = await Promise.all(this.#accounts.map((address) => this.#change(address)));
    const slots = await eventually(
      'the marks are final',
      async () => {
        const { value } = (await call(this.#ledger, 'getSignatureStatuses', [signatures])) as Statuses;
        const final = value.filter((status) => status?.confirmationStatus === 'finalized');
        return final.length === ACCOUNTS ? final.map((status) => Number(status?.slot)) : undefined;
      },
      { timeoutMs: PATIENCE_MS },
    );
    this.#marks = new Map(this.#accounts.map((address, at) => [address, slots[at] ?? -1]));
    return Math.max(...slots);
  }

  /** The subscriptions that were not notified of their mark yet, here or at the ledger itself. */
  unmarked(): readonly string[] {
    return this.#told.flatMap(({ record, truth }) => {
      const markSlot = this.#markOf(record);
      if (lastSlotOf(truth) < markSlot)
        return [`the ledger's own ${nameOf(record)}: not notified of its mark`];
      return lastSlotOf(record) < markSlot ? [`${nameOf(record)}: not notified of slot ${markSlot}`] : [];
    });
  }

  #markOf({ params: [watched] }: RecordOf): number {
    const [address] = (watched as { readonly mentions?: readonly string[] })?.mentions ?? [watched];
    return this.#marks.get(String(address)) ?? Math.max(...this.#marks.values());
  }

  /** The signatures sent until a slot that were not notified of exactly once. */
  unsettled(until: number): readonly string[] {
    const waiting = this.#signatures.filter(({ sentAtSlot }) => sentAtSlot < until);
    return waiting
      .filter(({ record }) => record.entries.filter(isNotification).length !== 1)
      .map(({ record }) => `${JSON.stringify(record.params)} was told ${JSON.stringify(record.entries)}`);
  }

  /** The faults in the notifications until a slot, once all are marked; `forget` keeps nothing of it. */
  faults(until: number): readonly string[] {
    return [
      ...this.#told.flatMap(({ record, truth, refill }) =>
        faultsOf(record, truth, { refill, from: this.#from, until }),
      ),
      ...this.sockets.flatMap((socket) => socket.closed() ?? []).map((reason) => `closed: ${reason}`),
      ...this.sockets.flatMap(({ strays }) => strays).map((stray) => `not asked for: ${stray}`),
    ];
  }

  /** The number of subscriptions with a gap notice. */
  gaps(): number {
    return this.#told.filter(({ record }) => record.entries.some(({ kind }) => kind === 'gap')).length;
  }

  /** The delay of the first socket after the witness at each slot, in milliseconds. */
  delays(): readonly number[] {
    const [first] = this.#told;
    const seen = new Map(first?.truth.entries.filter(isNotification).map(({ slot, atMs }) => [slot, atMs]));
    const own = first?.record.entries.filter(isNotification) ?? [];
    return own.flatMap(({ slot, atMs }) => {
      const witnessedMs = seen.get(slot);
      return witnessedMs === undefined ? [] : [atMs - witnessedMs];
    });
  }

  /** Forgets what was told until a slot, once it has been looked at. */
  forget(until: number): void {
    const isLater = (entry: Entry): boolean => (entry.kind === 'gap' ? entry.to : entry.slot) > until;
    for (const record of new Set(this.#told.flatMap(({ record, truth }) => [record, truth]))) {
      // The state that what comes begins with is kept.
      const last = record.entries.findLast((entry) => isNotification(entry) && !isLater(entry));
      record.entries = record.entries.filter((entry) => entry === last || isLater(entry));
    }
    this.#signatures = this.#signatures.filter(({ sentAtSlot }) => sentAtSlot >= until);
    this.#from = until + 1;
  }

  close(): void {
    for (const socket of [this.#witness, ...this.sockets]) socket.close();
  }
}

type Statuses = {
  readonly value: readonly ({ readonly slot: number; readonly confirmationStatus: string } | null)[];
};

function lastSlotOf({ entries }: RecordOf): number {
  return entries.findLast(isNotification)?.slot ?? -1;
}

function nameOf({ method, params }: RecordOf): string {
  return `${method} ${JSON.stringify(params)}`;
}

function isNotification(entry: Entry): entry is Extract<Entry, { readonly kind: 'notification' }> {
  return entry.kind === 'notification';
}

function socketUrl({ rpcUrl }: RpcTarget): string {
  return rpcUrl.replace(/^http/, 'ws');
}
