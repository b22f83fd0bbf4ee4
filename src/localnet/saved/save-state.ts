import { isDeepStrictEqual } from 'node:util';
import { serviceError } from '../../core/service-error.ts';
import { loadBlocks, saveBlocks } from '../blocks/saved-blocks.ts';
import type { Ledger } from '../ledger.ts';
import type { LedgerSnapshot } from '../ledger-state.ts';
import type { SavedParameters, SavedState } from './saved-state.ts';

/** Returns a snapshot without its ledger. */
export function saveState(ledger: Ledger, snapshot: LedgerSnapshot): SavedState {
  const { samples, epochTimes, timeMs, genesis } = snapshot;
  return {
    parameters: { ...parametersOf(ledger), genesisHash: genesis.hash, genesisTime: genesis.time },
    accounts: ledger.accounts.save(snapshot.accounts),
    blocks: saveBlocks(snapshot.blocks),
    samples,
    epochTimes,
    timeMs,
  };
}

/**
 * Turns a saved state into a snapshot of a ledger. A fork knows all of its accounts then.
 *
 * @throws ServiceError invalidParam naming a parameter of its ledger that differs; forkFailed.
 */
export async function loadState(ledger: Ledger, state: SavedState): Promise<LedgerSnapshot> {
  const { parameters, accounts, blocks, samples, epochTimes, timeMs } = state;
  // A state saved before there was a choice is of a ledger under tower.
  assertSame(parametersOf(ledger), { ...parameters, consensus: parameters.consensus ?? 'tower' });
  const addresses = accounts.current.map(({ address }) => address);
  await ledger.fork?.touch(ledger, addresses);
  const { genesisHash: hash, genesisTime: time } = parameters;
  return {
    accounts: ledger.accounts.load(accounts),
    blocks: loadBlocks(blocks, ledger.blocks.keptBlocks),
    samples,
    epochTimes,
    timeMs,
    genesis: { ...ledger.genesis, hash, time },
  };
}

function parametersOf({ manifest, finalitySlots, votes }: Ledger): SavedParameters {
  const { faucetLamports: _lamports, branch: _branch, ...begun } = manifest;
  return { ...begun, finalitySlots, votes };
}

/** The option names of the parameters that must match. */
const SAME = {
  slotsPerEpoch: '--slots-per-epoch',
  epochs: 'epochs',
  lamportsPerByte: '--lamports-per-byte',
  consensus: '--consensus',
  finalitySlots: '--finality-slots',
  votes: 'votes',
  features: '--feature and --deactivate-feature',
} as const;

function assertSame(own: SavedParameters, saved: SavedParameters): void {
  for (const [name, option] of Object.entries(SAME)) {
    const [here, there] = [own, saved].map((each) => each[name as keyof typeof SAME]);
    if (!isDeepStrictEqual(here, there))
      throw serviceError('invalidParam', {
        reason: `the snapshot is of a ledger with other ${option}: ${shown(there)}; this one has ${shown(here)}`,
      });
  }
  const [here, there] = [own.fork?.genesisHash, saved.fork?.genesisHash];
  if (here === there || there === undefined) return;
  throw serviceError('invalidParam', {
    reason: `the snapshot is of a fork of the network with the genesis hash ${there}; this ledger is ${here === undefined ? 'no fork' : `one of ${here}`}`,
  });
}

function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'none'
  );
}
