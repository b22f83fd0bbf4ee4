import type { Findings } from '../checks/findings.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../report.ts';

/** The dependencies of every client of the lab. */
export type ClientDeps = {
  readonly gateways: readonly LabGateway[];
  readonly apiKey: string;
  readonly random: Random;
  readonly findings: Findings;
  readonly timeline: Timeline;
  /** The longest time that an undisturbed gateway may take for a read. */
  readonly readMs: number;
  /** Aborted when clients are to leave. */
  readonly over: AbortSignal;
  /** Resolves after `ms` milliseconds, or when clients are to leave. */
  readonly pause: (ms: number) => Promise<void>;
};
