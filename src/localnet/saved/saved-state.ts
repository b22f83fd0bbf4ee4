import { deserialize, serialize } from 'node:v8';
import { accountBytes, readAccounts } from '../disk/account-bytes.ts';
import { frame, readFrames } from '../disk/frames.ts';
import type { SavedBlocks } from '../blocks/saved-blocks.ts';
import type { PerformanceSamples } from '../validator/performance-samples.ts';
import type { Manifest } from '../disk/manifest.ts';
import type { SavedAccounts } from '../accounts/saved-accounts.ts';

/** The start parameters of a ledger that its states depend on. */
export type SavedParameters = Omit<Manifest, 'faucetLamports' | 'branch'> & {
  readonly finalitySlots: bigint;
  readonly votes: boolean;
};

/** A state of a ledger in a file. */
export type SavedState = {
  readonly parameters: SavedParameters;
  readonly accounts: SavedAccounts;
  readonly blocks: SavedBlocks;
  readonly samples: ReturnType<PerformanceSamples['take']>;
  readonly epochTimes: ReadonlyMap<bigint, bigint>;
  /** The ledger's time: milliseconds since 1970. */
  readonly timeMs: number;
};

const FORMAT = 'keyslot snapshot 1';
const END = 'end of snapshot';

/** Returns the bytes of a state. Files of other formats begin differently. */
export function savedBytes({ accounts, ...rest }: SavedState): Buffer {
  const { current, changes } = accounts;
  return Buffer.concat([
    frame(Buffer.from(FORMAT)),
    frame(serialize({ ...rest, changes })),
    frame(Buffer.concat(current.flatMap(accountBytes))),
    frame(Buffer.from(END)),
  ]);
}

/** A state, or the reason why the bytes are not a state. */
export type ReadState =
  | { readonly kind: 'state'; readonly state: SavedState }
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads a state from its bytes. */
export function readSaved(bytes: Buffer): ReadState {
  const { payloads, isTorn } = readFrames(bytes);
  const [head, rest, current, end] = payloads;
  if (head?.toString() !== FORMAT) return { kind: 'fault', reason: `its format is not "${FORMAT}"` };
  if (isTorn || rest === undefined || current === undefined || end?.toString() !== END)
    return { kind: 'fault', reason: 'it is incomplete' };
  const { changes, ...state } = deserialize(rest) as Omit<SavedState, 'accounts'> &
    Pick<SavedAccounts, 'changes'>;
  return { kind: 'state', state: { ...state, accounts: { current: [...readAccounts(current)], changes } } };
}
