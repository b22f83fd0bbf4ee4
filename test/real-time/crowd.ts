import { generateKeyPairSigner } from '@solana/kit';
import { call, type RpcTarget } from '../../src/contract/json-rpc.ts';
import type { RunningKeyslot } from '../support/keyslot.ts';
import { faultsOf, type Refill } from './compare.ts';
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
    ...{ method: 'accountSubscribe', refill: 'state' },
    params: [at(offset), { encoding: 'base64', commitment }],
  });
  const logs = (filter: unknown, commitment: string): Wanted => ({
    ...{ method: 'logsSubscribe', refill: 'all' },
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

  /** What the first socket has been told of slots. */
  get slotsTold(): number {
    return this.#told[0]?.record.entries.length ?? 0;
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
    this.#turn += 1;
    const address = this.#accounts[(this.#turn * 3) % ACCOUNTS];
    return call(this.#ledger, 'requestAirdrop', [address, 1_000_000 + this.#turn]);
  }

  /** What is wrong with what was told until a slot that is final; nothing of it is kept by `forget`. */
  faults(until: number): readonly string[] {
    const waiting = this.#signatures.filter(({ sentAtSlot }) => sentAtSlot < until);
    return [
      ...this.#told.flatMap(({ record, truth, refill }) =>
        faultsOf(record, truth, { refill, from: this.#from, until }),
      ),
      ...waiting
        .filter(({ record }) => record.entries.filter(isNotification).length !== 1)
        .map(({ record }) => `${JSON.stringify(record.params)} was told ${JSON.stringify(record.entries)}`),
      ...this.sockets.flatMap((socket) => socket.closed() ?? []).map((reason) => `closed: ${reason}`),
      ...this.sockets.flatMap(({ strays }) => strays).map((stray) => `not asked for: ${stray}`),
    ];
  }

  /** How many subscriptions were told of a gap. */
  gaps(): number {
    return this.#told.filter(({ record }) => record.entries.some(({ kind }) => kind === 'gap')).length;
  }

  /** How much later than the witness the first socket was told of each slot, in milliseconds. */
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

function isNotification(entry: Entry): entry is Extract<Entry, { readonly kind: 'notification' }> {
  return entry.kind === 'notification';
}

function socketUrl({ rpcUrl }: RpcTarget): string {
  return rpcUrl.replace(/^http/, 'ws');
}
