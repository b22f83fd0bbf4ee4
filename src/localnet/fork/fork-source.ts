import { serviceError } from '../../core/service-error.ts';
import { Semaphore } from '../../core/rpc/semaphore.ts';
import { isObject } from '../genesis-options/account-json.ts';
import type { CallNode } from './call-node.ts';
import type { Cassette, Listing } from './cassette.ts';
import { ACCOUNTS_PER_CALL, fetchAccounts, type FetchedAccount } from './fetch-accounts.ts';

/** The node of a fork. `host` is the only part of its address that is shown. */
export type ForkNode = { readonly call: CallNode; readonly host: string };

export type SourceOptions = {
  readonly cassette: Cassette;
  /** Undefined: only the accounts in the cassette are available. */
  readonly node: ForkNode | undefined;
  /** False: the network of the node was not checked yet. */
  readonly isVerified: boolean;
  /** Called when the cassette has grown. */
  readonly onGrown: () => void;
};

const CALLS_AT_A_TIME = 4;
const MAX_LISTED = 10_000;
const SHOWN_ADDRESSES = 2;

/** The accounts of a fork as its node has them: from the cassette, else from the node, which are then recorded in the cassette. */
export class ForkSource {
  readonly #cassette: Cassette;
  readonly #node: ForkNode | undefined;
  readonly #onGrown: () => void;
  readonly #calls = new Semaphore(CALLS_AT_A_TIME);
  readonly #underWay = new Map<string, Promise<void>>();
  #verified: Promise<void> | undefined;

  constructor({ cassette, node, isVerified, onGrown }: SourceOptions) {
    this.#cassette = cassette;
    this.#node = node;
    this.#onGrown = onGrown;
    if (isVerified) this.#verified = Promise.resolve();
  }

  /** Returns accounts, in order. @throws ServiceError forkFailed naming those that are not available, and why. */
  async accounts(addresses: readonly string[]): Promise<readonly FetchedAccount[]> {
    const missing = addresses.filter((address) => !this.#cassette.has(address));
    const wanted = missing.filter((address) => !this.#underWay.has(address));
    for (let at = 0; at < wanted.length; at += ACCOUNTS_PER_CALL)
      this.#begin(wanted.slice(at, at + ACCOUNTS_PER_CALL));
    const outcomes = await Promise.allSettled(missing.map((address) => this.#underWay.get(address)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return addresses.map((address) => ({ address, account: this.#cassette.account(address) }));
  }

  /** Returns the addresses that a listing of the node names. @throws ServiceError forkFailed naming the listing. */
  async list(listing: Listing): Promise<readonly string[]> {
    const known = this.#cassette.list(listing);
    if (known !== undefined) return known;
    const [method, ...params] = listing;
    const what = `${method} of ${String(params[0])}`;
    const { call, host } = await this.#verifiedNode(what);
    const config = { encoding: 'base64', dataSlice: { offset: 0, length: 0 }, commitment: 'confirmed' };
    const [subject, choice] = params;
    const asked =
      method === 'getProgramAccounts'
        ? [subject, { ...config, filters: choice }]
        : [subject, ...(choice === undefined ? [] : [choice]), config];
    const answer = await this.#calls.withPermit(() => call(method, asked));
    if (answer.kind === 'refusal') throw failed(what, host, answer.reason);
    const addresses = readAddresses(answer.result);
    if (addresses === undefined) throw failed(what, host, `its answer does not match ${method}`);
    if (addresses.length > MAX_LISTED)
      throw failed(what, host, `it lists ${addresses.length} accounts, and the limit is ${MAX_LISTED}`);
    this.#cassette.recordList(JSON.stringify(listing), addresses.toSorted());
    this.#onGrown();
    return addresses;
  }

  #begin(addresses: readonly string[]): void {
    const fetching = this.#fetch(addresses).finally(() => {
      for (const address of addresses) this.#underWay.delete(address);
    });
    // The callers that wait for it get the error.
    fetching.catch(() => undefined);
    for (const address of addresses) this.#underWay.set(address, fetching);
  }

  async #fetch(addresses: readonly string[]): Promise<void> {
    const { call, host } = await this.#verifiedNode(named(addresses));
    const fetched = await this.#calls.withPermit(() => fetchAccounts(call, addresses));
    if (fetched.kind === 'refusal') throw failed(named(fetched.asked), host, fetched.reason);
    for (const entry of fetched.accounts) this.#cassette.record(entry);
    this.#cassette.noteSlot(fetched.slot);
    this.#onGrown();
  }

  /** Checks the network of a node once, with the first call. */
  async #verifiedNode(what: string): Promise<ForkNode> {
    const node = this.#node;
    if (node === undefined)
      throw serviceError('forkFailed', {
        reason: `${what} is not available: it is not in the cassette, and without --fork there is no node to fetch it from`,
      });
    this.#verified ??= this.#verify(node, what);
    try {
      await this.#verified;
    } catch (error) {
      this.#verified = undefined;
      throw error;
    }
    return node;
  }

  async #verify({ call, host }: ForkNode, what: string): Promise<void> {
    const answer = await call('getGenesisHash', []);
    if (answer.kind === 'refusal') throw failed(what, host, answer.reason);
    const { genesisHash } = this.#cassette;
    if (answer.result !== genesisHash)
      throw failed(
        what,
        host,
        `it is a node of another network, with the genesis hash ${String(answer.result).slice(0, 64)}; this fork is of ${genesisHash}`,
      );
  }
}

function failed(what: string, host: string, reason: string) {
  return serviceError('forkFailed', { reason: `${what} cannot be fetched from ${host}: ${reason}` });
}

function named(addresses: readonly string[]): string {
  const shown = addresses.slice(0, SHOWN_ADDRESSES);
  const more = addresses.length - shown.length;
  if (addresses.length === 1) return `the account ${shown[0]}`;
  return `the accounts ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** Lists come bare or with a context; entries name their account by pubkey or address. */
function readAddresses(result: unknown): readonly string[] | undefined {
  const entries = isObject(result) ? result.value : result;
  if (!Array.isArray(entries)) return undefined;
  const addresses = entries.map((entry: unknown) =>
    isObject(entry) ? (entry.pubkey ?? entry.address) : undefined,
  );
  return addresses.every((address) => typeof address === 'string') ? addresses : undefined;
}
