import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { serviceError } from '../../core/service-error.ts';
import { readEpochLengths, epochLengthsJson } from '../epoch/epoch-lengths.ts';
import { readClusterUrl } from '../genesis-options/cluster-url.ts';
import { optionProblem, errorKind } from '../genesis-options/option-problem.ts';
import { callNodeAt } from './call-node.ts';
import { Cassette } from './cassette.ts';
import { readSlot } from './fetch-accounts.ts';
import { Fork } from './fork.ts';
import type { ForkOrigin } from './fork-origin.ts';
import { type ForkNode, ForkSource } from './fork-source.ts';
import { encodeBase64 } from '../bytes/base58.ts';
import { parseJson, stringifyJson } from '../../core/rpc/json.ts';
import { isObject, readAccountJson, isAddress } from '../genesis-options/account-json.ts';

/** `--fork URL` and `--cassette FILE` as they were given. */
export type GivenFork = { readonly url: string | undefined; readonly cassette: string | undefined };

export type ForkOptions = {
  readonly given: GivenFork;
  /** The origin of a forked ledger on disk. */
  readonly stored: ForkOrigin | undefined;
  readonly warn: (text: string) => void;
};

/** Deadline of each attempt. Three of them, and the waits between them, end within a minute. */
const LIMITS = { deadlineMs: 15_000, maxAnswerBytes: 64 * 1024 * 1024, attempts: 3 };

/**
 * Opens a fork: of a node, of a cassette, or of a node whose answers are recorded in a cassette. Undefined: no fork is requested. If the
 * cassette names its network, the node is called only when an account is touched that the cassette lacks.
 *
 * @throws ServiceError invalidConfig: the node does not answer, the cassette cannot be read, or the two or the ledger on disk are of
 *   different networks.
 */
export async function openFork({ given, stored, warn }: ForkOptions): Promise<Fork | undefined> {
  const { url, cassette: path } = given;
  const recorded = path === undefined ? undefined : readCassetteFile(path);
  if (path !== undefined && recorded === undefined && url === undefined)
    throw optionProblem(`--cassette: ${path} does not exist; --fork URL records it`);
  if (url === undefined && recorded === undefined && stored === undefined) return undefined;
  const node = url === undefined ? undefined : nodeAt(readClusterUrl('--fork', url));
  const origin = await originOf({ recorded, stored, node, warn });
  if (stored !== undefined && origin.genesisHash !== stored.genesisHash)
    throw optionProblem(
      `--ledger: it is a fork of the network with the genesis hash ${stored.genesisHash}, and --fork or --cassette is of ${origin.genesisHash}`,
    );
  const cassette = recorded ?? new Cassette(origin);
  const onFailure = (error: unknown): void =>
    warn(`the cassette ${path} was not written: ${error instanceof Error ? error.message : 'unknown error'}`);
  const file =
    path === undefined || url === undefined ? undefined : new CassetteFile(path, cassette, onFailure);
  if (recorded === undefined) file?.grew();
  const source = new ForkSource({
    cassette,
    node,
    onGrown: () => file?.grew(),
    isVerified: recorded === undefined && stored === undefined,
  });
  return new Fork(stored ?? origin, source, async () => await file?.close());
}

function nodeAt(url: URL): ForkNode {
  return { call: callNodeAt(url, LIMITS), host: url.host };
}

type Known = {
  readonly recorded: Cassette | undefined;
  readonly stored: ForkOrigin | undefined;
  readonly node: ForkNode | undefined;
  readonly warn: ForkOptions['warn'];
};

async function originOf({ recorded, stored, node, warn }: Known): Promise<ForkOrigin> {
  if (recorded !== undefined) {
    const { genesisHash, slot, epochs } = recorded;
    return { genesisHash, slot, epochs };
  }
  if (stored !== undefined) return stored;
  if (node === undefined) throw serviceError('internalError');
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await node.call(method, params);
    if (answer.kind === 'result') return answer.result;
    throw optionProblem(`--fork: ${node.host} does not answer ${method}: ${answer.reason}`);
  };
  const genesisHash = await ask('getGenesisHash', []);
  const slot = readSlot(await ask('getSlot', [{ commitment: 'confirmed' }]));
  if (typeof genesisHash !== 'string' || slot === undefined)
    throw optionProblem(`--fork: ${node.host} does not answer as a ledger node does`);
  return { genesisHash, slot, epochs: await epochsOf(node, warn) };
}

/** The ledger also starts when its node does not state its epochs, or has epochs that a ledger cannot have. */
async function epochsOf({ call, host }: ForkNode, warn: ForkOptions['warn']): Promise<ForkOrigin['epochs']> {
  const answer = await call('getEpochSchedule', []);
  const epochs = answer.kind === 'result' ? readEpochLengths(answer.result) : undefined;
  const reason = answer.kind === 'refusal' ? answer.reason : 'a ledger cannot have such epochs';
  if (epochs === undefined) warn(`cannot use the epochs of ${host}: ${reason}; using --slots-per-epoch`);
  return epochs;
}

const MAX_FILE_BYTES = 512 * 1024 * 1024;
const WAIT_MS = 500;
const CHUNK_CHARACTERS = 1024 * 1024;

/** Reads a cassette file; undefined: there is no such file. @throws ServiceError invalidConfig naming the file and the line. */
function readCassetteFile(path: string): Cassette | undefined {
  if (!existsSync(path)) return undefined;
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES)
      throw optionProblem(`--cassette: ${path} has ${size} bytes, and the limit is ${MAX_FILE_BYTES}`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw optionProblem(`--cassette: ${path} cannot be read (${errorKind(error)})`, error);
    throw error;
  }
  const read = readCassette(bytes);
  if (read.kind === 'fault') throw optionProblem(`--cassette: ${path} is not a cassette: ${read.reason}`);
  return read.cassette;
}

/**
 * Keeps a cassette in a file, written half a second after it grew and at the end. Entries that another process recorded there meanwhile are
 * merged, so that tests that record at the same time lose at most what two write in the same moment.
 */
class CassetteFile {
  readonly #path: string;
  readonly #cassette: Cassette;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isDirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, cassette: Cassette, onFailure: (error: unknown) => void) {
    this.#path = path;
    this.#cassette = cassette;
    this.#onFailure = onFailure;
  }

  /** Call it when the cassette has grown. */
  grew(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  /** Writes anything not written yet. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => {
        this.#isDirty = true;
        this.#onFailure(error);
      });
  }

  async #write(): Promise<void> {
    const present = readCassetteFile(this.#path);
    if (present?.genesisHash === this.#cassette.genesisHash) this.#cassette.merge(present);
    const temporary = `${this.#path}.${process.pid}.tmp`;
    const file = await open(temporary, 'w', 0o644);
    try {
      let chunk = '';
      for (const line of cassetteLines(this.#cassette)) {
        chunk += line;
        if (chunk.length < CHUNK_CHARACTERS) continue;
        await file.write(chunk);
        chunk = '';
      }
      await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(temporary, this.#path);
  }
}

const FORMAT = 'keyslot cassette 1';
const NEWLINE = 10;

/**
 * The lines of a cassette: JSON, first its origin, then its accounts and lists, each sorted. The same content gives the same text, and
 * nothing in it reveals the node's address.
 */
function* cassetteLines(cassette: Cassette): Generator<string> {
  const { genesisHash, slot, epochs } = cassette;
  const epochSchedule = epochs === undefined ? {} : { epochSchedule: epochLengthsJson(epochs) };
  yield `${stringifyJson({ format: FORMAT, genesisHash, slot, ...epochSchedule })}\n`;
  for (const { address, account } of cassette.accounts()) {
    if (account === undefined) {
      yield `${stringifyJson({ account: address, absent: true })}\n`;
      continue;
    }
    const { lamports, owner, executable, rentEpoch } = account;
    const data = [encodeBase64(account.data), 'base64'];
    yield `${stringifyJson({ account: address, lamports, owner, executable, rentEpoch, data })}\n`;
  }
  for (const { listing, addresses } of cassette.lists())
    yield `${stringifyJson({ list: parseJson(listing), addresses })}\n`;
}

/** A cassette, or the reason why the bytes are not a cassette. */
type ReadCassette =
  | { readonly kind: 'cassette'; readonly cassette: Cassette }
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads a cassette from the bytes of its file. */
function readCassette(bytes: Buffer): ReadCassette {
  const head = parse(lineAt(bytes, 0));
  if (!isObject(head) || head.format !== FORMAT)
    return { kind: 'fault', reason: `its first line does not name the format "${FORMAT}"` };
  const slot = readSlot(head.slot);
  if (typeof head.genesisHash !== 'string' || !isAddress(head.genesisHash) || slot === undefined)
    return { kind: 'fault', reason: 'line 1: expected genesisHash and slot' };
  const epochs = readEpochLengths(head.epochSchedule);
  if (head.epochSchedule !== undefined && epochs === undefined)
    return { kind: 'fault', reason: 'line 1: a ledger cannot have this epochSchedule' };
  const cassette = new Cassette({ genesisHash: head.genesisHash, slot, epochs });
  let number = 1;
  for (let at = lineAt(bytes, 0).length + 1; at < bytes.length; ) {
    const line = lineAt(bytes, at);
    at += line.length + 1;
    number += 1;
    const reason = recordLine(cassette, parse(line));
    if (reason !== undefined) return { kind: 'fault', reason: `line ${number}: ${reason}` };
  }
  return { kind: 'cassette', cassette };
}

/** Returns the fault of a line, if it has one. */
function recordLine(cassette: Cassette, json: unknown): string | undefined {
  if (!isObject(json)) return 'it is not a JSON object';
  const { account: address, absent, list, addresses } = json;
  if (Array.isArray(list) && Array.isArray(addresses) && addresses.every(isAddressText)) {
    cassette.recordList(JSON.stringify(list), addresses);
    return undefined;
  }
  if (!isAddressText(address)) return 'it is neither an account nor a list of addresses';
  if (absent === true) {
    cassette.record({ address, account: undefined });
    return undefined;
  }
  const read = readAccountJson(json);
  if (read.kind === 'fault') return read.reason;
  cassette.record({ address, account: read.account });
  return undefined;
}

function isAddressText(value: unknown): value is string {
  return typeof value === 'string' && isAddress(value);
}

function lineAt(bytes: Buffer, at: number): Buffer {
  const end = bytes.indexOf(NEWLINE, at);
  return bytes.subarray(at, end === -1 ? bytes.length : end);
}

function parse(line: Buffer): unknown {
  try {
    return parseJson(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
