import { serviceError } from '../../base/service-error.ts';
import { readEpochLengths } from '../epoch/epoch-lengths.ts';
import { readClusterUrl } from '../genesis-options/cluster-url.ts';
import { optionProblem } from '../genesis-options/option-problem.ts';
import { callNodeAt } from './call-node.ts';
import { Cassette } from './cassette.ts';
import { CassetteFile, readCassetteFile } from './cassette-file.ts';
import { readSlot } from './fetch-accounts.ts';
import { Fork } from './fork.ts';
import type { ForkOrigin } from './fork-origin.ts';
import { type ForkNode, ForkSource } from './fork-source.ts';

/** `--fork URL` and `--cassette FILE` as they were given. */
export type GivenFork = { readonly url: string | undefined; readonly cassette: string | undefined };

export type ForkOptions = {
  readonly given: GivenFork;
  /** What a ledger on disk was forked from. */
  readonly stored: ForkOrigin | undefined;
  readonly warn: (text: string) => void;
};

/** For each attempt. Three of them, and the waits between them, end within a minute. */
const LIMITS = { deadlineMs: 15_000, maxAnswerBytes: 64 * 1024 * 1024, attempts: 3 };

/**
 * Opens a fork: of a node, of a cassette, or of a node whose answers are recorded in a cassette. Undefined: none is asked for. What a cassette
 * tells of its network is not asked of the node, which is called when an account is touched that is not in it.
 *
 * @throws ServiceError invalidConfig: the node does not answer, the cassette cannot be read, or the two or the ledger on disk are of different
 *   networks.
 */
export async function openFork({ given, stored, warn }: ForkOptions): Promise<Fork | undefined> {
  const { url, cassette: path } = given;
  const recorded = path === undefined ? undefined : readCassetteFile(path);
  if (path !== undefined && recorded === undefined && url === undefined)
    throw optionProblem(`--cassette: ${path} is not there; --fork URL records it`);
  if (url === undefined && recorded === undefined && stored === undefined) return undefined;
  const node = url === undefined ? undefined : nodeAt(readClusterUrl('--fork', url));
  const origin = await originOf({ recorded, stored, node, warn });
  if (stored !== undefined && origin.genesisHash !== stored.genesisHash)
    throw optionProblem(
      `--ledger: it is a fork of the network with the genesis hash ${stored.genesisHash}, and what is given is of ${origin.genesisHash}`,
    );
  const cassette = recorded ?? new Cassette(origin);
  const onFailure = (error: unknown): void =>
    warn(`the cassette ${path} was not written: ${error instanceof Error ? error.message : 'unknown error'}`);
  const file =
    path === undefined || url === undefined ? undefined : new CassetteFile(path, cassette, onFailure);
  if (recorded === undefined) file?.grew();
  const source = new ForkSource({
    ...{ cassette, node, onGrown: () => file?.grew() },
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
    throw optionProblem(`--fork: ${node.host} cannot be asked for ${method}: ${answer.reason}`);
  };
  const genesisHash = await ask('getGenesisHash', []);
  const slot = readSlot(await ask('getSlot', [{ commitment: 'confirmed' }]));
  if (typeof genesisHash !== 'string' || slot === undefined)
    throw optionProblem(`--fork: ${node.host} does not answer as a ledger node does`);
  return { genesisHash, slot, epochs: await epochsOf(node, warn) };
}

/** A node that does not tell its epochs, or has other ones than a ledger can have, is no reason not to begin. */
async function epochsOf({ call, host }: ForkNode, warn: ForkOptions['warn']): Promise<ForkOrigin['epochs']> {
  const answer = await call('getEpochSchedule', []);
  const epochs = answer.kind === 'result' ? readEpochLengths(answer.result) : undefined;
  const reason = answer.kind === 'refusal' ? answer.reason : 'a ledger cannot have such';
  if (epochs === undefined)
    warn(`the epochs of ${host} are not taken over: ${reason}; they are those of --slots-per-epoch`);
  return epochs;
}
