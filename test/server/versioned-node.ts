import { onTestFinished } from 'vitest';
import {
  NodeRefusal,
  type ScriptedPubsub,
  type ScriptedPubsubOptions,
  startScriptedPubsub,
} from '../support/scripted-pubsub.ts';

/** The answer of getVersion: a version of Agave, or the whole answer of another client. */
export type Said = string | Readonly<Record<string, unknown>>;

export type VersionedNode = ScriptedPubsub & {
  /** Params of the calls of a method that have come, without those that the gateway makes itself. */
  readonly params: (method: string) => readonly unknown[];
};

type Config = {
  readonly minContextSlot?: number;
  readonly commitment?: string;
  readonly keyByVoteAccount?: boolean;
  readonly identity?: string;
} | null;

/** The newest slot of such a node, at every commitment. */
export const NEWEST = 1_000;

const MAX_REWARDS = 32;
const IDENTITY = 'EHv7fYD9vE2XFxdVKbU3VTuUPy7PXogzrmC8vhJDroUC';
const VOTE_ACCOUNT = 'ZozWbNjTomHLpSGMhDjNjQJ9svMhEm6hpLSFDEBhzJZ';

/** A node that does what its version does: what is newer it does not know, and of what it does not know it ignores the members without a word. */
export async function startVersionedNode(
  said: Said,
  does = said,
  options: ScriptedPubsubOptions = {},
): Promise<VersionedNode> {
  const node = await startScriptedPubsub({ firstSlot: NEWEST, ...options });
  onTestFinished(node.close);
  node.isAnnouncing = false;
  const has = (since: string): boolean =>
    String(does).localeCompare(since, 'en', { numeric: true }) >= 0 && typeof does === 'string';
  const isTooYoung = (config: Config = null): boolean => has('4.4') && (config?.minContextSlot ?? 0) > NEWEST;
  const unreached = new NodeRefusal(-32016, 'Minimum context slot has not been reached');
  const unscheduled = new NodeRefusal(-32022, 'a text of nodes');
  Object.assign(node.answers, {
    getVersion: typeof said === 'string' ? { 'solana-core': said, 'feature-set': 7 } : said,
    getRecentPerformanceSamples: [{ slot: NEWEST, numSlots: 300, samplePeriodSecs: 60 }],
    getTransaction: ([, config]: readonly [string, Config?]) => (isTooYoung(config) ? unreached : null),
    getSignatureStatuses: ([signatures, config]: readonly [readonly string[], Config?]) =>
      isTooYoung(config) ? unreached : { context: { slot: NEWEST }, value: signatures.map(() => null) },
    getLeaderSchedule: ([slot, config]: readonly [unknown, Config?]) => {
      const asked = (typeof slot === 'object' ? (slot as Config) : null) ?? config;
      if ((asked?.identity ?? IDENTITY) !== IDENTITY) return has('4.4') ? unscheduled : {};
      return has('4.4') && asked?.keyByVoteAccount === true ? { [VOTE_ACCOUNT]: [0] } : { [IDENTITY]: [0] };
    },
    getAgGenesisCert: has('4.3') ? null : new NodeRefusal(-32601, 'Method not found'),
    getInflationReward: ([addresses]: readonly [readonly string[]]) =>
      has('4.3') && addresses.length > MAX_REWARDS
        ? new NodeRefusal(-32602, `Too many inputs provided; max ${MAX_REWARDS}`)
        : addresses.map(() => null),
  });
  const params = (method: string): readonly unknown[] =>
    node.asked.flatMap((call) =>
      call.method === method && call.id !== 'keyslot' ? [call.params ?? []] : [],
    );
  return Object.assign(node, { params });
}
