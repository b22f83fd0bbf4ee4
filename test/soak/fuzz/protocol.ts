import type { RunningKeyslot } from '../../support/keyslot.ts';
import type { Random } from '../../lab/random.ts';

/** A client that sends fuzzed requests, some at a time. */
export type Lane = {
  /** Sends some, and judges what comes back. @returns how many were sent. */
  readonly burst: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export type LaneDeps = {
  readonly random: Random;
  /** Counts an answer by what it was. */
  readonly count: (answer: string) => void;
  /** Writes down that something is wrong. */
  readonly fault: (what: string) => void;
};

/** A way to talk to the server. */
export type Protocol = {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** The number of clients at a time. */
  readonly lanes: number;
  /** Makes what the requests need on a new server; what opens a client of it. */
  readonly prepare: (keyslot: RunningKeyslot) => Promise<(deps: LaneDeps) => Promise<Lane>>;
};
