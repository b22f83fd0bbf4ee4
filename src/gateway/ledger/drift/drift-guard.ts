import type { Logger } from 'pino';
import { type CheckThread, createCheckThread, type NodeSamples, type SampleOutcome } from './node-samples.ts';
import { createNetworkDrift, type NetworkDrift } from './network-drift.ts';
import { SampleRoom } from './sample-room.ts';

/** Metrics of the guard. */
export type DriftMetrics = {
  /** Reads the findings of a network at each scrape. */
  readonly watch: (network: string, drift: Pick<NetworkDrift, 'snapshot' | 'unknownMethods'>) => void;
  readonly countSample: (network: string, node: string, outcome: SampleOutcome) => void;
};

export type DriftGuard = {
  readonly watchNetwork: (network: string) => NetworkDrift;
  readonly close: () => Promise<void>;
};

export type DriftOptions = {
  /** Per node, in addition to the first answer of every method. 0: no answers of nodes are checked. */
  readonly samplesPerMinute: number;
  readonly metrics: DriftMetrics;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Checks the samples; default: a thread of its own. */
  readonly thread?: CheckThread;
  readonly random?: () => number;
};

const MINUTE_MS = 60_000;
/** The limits of answers of all nodes that are being collected, or wait to be checked. */
const ROOM = { maxAnswers: 16, maxBytes: 32 * 1024 * 1024, maxAnswerBytes: 16 * 1024 * 1024 };

/**
 * Checks samples of node answers of all networks against the specification, and counts, logs and lists the differences
 * (docs/decisions/0037-drift-guard.md).
 */
export function createDriftGuard(options: DriftOptions): DriftGuard {
  const { samplesPerMinute, metrics, log, nowMs, random = Math.random } = options;
  const room = new SampleRoom({ ...ROOM, nowMs });
  const onFailure = ({ message }: Error): void =>
    log.warn({ reason: message }, 'checking a sample of an answer failed');
  const thread = options.thread ?? createCheckThread({ nowMs, onFailure });
  const sampled = new Set<NodeSamples>();
  const isOn = samplesPerMinute > 0;
  const tick = (): void => {
    for (const samples of sampled) samples.tick();
  };
  const timer = isOn ? setInterval(tick, MINUTE_MS / samplesPerMinute).unref() : undefined;
  return {
    watchNetwork: (network) => {
      const drift = createNetworkDrift({
        network,
        room,
        thread,
        log,
        nowMs,
        random,
        countSample: (node, outcome) => metrics.countSample(network, node, outcome),
        onSamples: isOn ? (samples) => void sampled.add(samples) : undefined,
      });
      metrics.watch(network, drift);
      return drift;
    },
    close: async () => {
      clearInterval(timer);
      await thread.close();
    },
  };
}
