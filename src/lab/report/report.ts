import type { Config } from '../../../generated/config.ts';
import type { Scenario } from '../../../generated/lab.ts';
import type { Break } from '../checks/findings.ts';
import { INVARIANT_NAMES, INVARIANTS, type Invariant } from '../checks/invariants.ts';
import { leftOut } from '../gateways/lab-config.ts';
import type { LabServices } from '../gateways/start-installation.ts';
import type { LabRun } from '../run-lab.ts';
import type { ShownFault, Span } from './timeline.ts';

/** The form of a report; another form gets another number. */
export const REPORT_FORM = 'keyslot lab report 1';

export type ShownInvariant = {
  readonly name: Invariant;
  readonly promise: string;
  /** `not checked`: nothing was there to look at, for want of clients of that kind, say. */
  readonly state: 'held' | 'broken' | 'not checked';
  readonly checks: number;
  readonly breaks: number;
};

/** What a run has shown. Holds no secret: neither keys nor addresses. */
export type LabReport = {
  readonly form: typeof REPORT_FORM;
  readonly made_at: string;
  readonly version: string;
  readonly is_sound: boolean;
  /** It was ended before its time. */
  readonly ended_early: boolean;
  readonly took_ms: number;
  readonly seed: number;
  readonly scenario: Scenario;
  readonly installation: {
    readonly network: string;
    readonly nodes: readonly string[];
    readonly store: 'embedded' | 'postgres';
    readonly redis: boolean;
    /** What of the configuration was not tried, in sentences. */
    readonly left_out: readonly string[];
  };
  readonly invariants: readonly ShownInvariant[];
  /** The first of each invariant, in the order in which they were seen. */
  readonly breaks: readonly Break[];
  readonly totals: Readonly<Record<string, number>>;
  readonly reads_ms: Span['reads_ms'];
  readonly faults: readonly ShownFault[];
  /** How often a source found no target that might fail, by part and kind. */
  readonly passed_over: Readonly<Record<string, number>>;
  readonly span_ms: number;
  readonly spans: readonly Span[];
};

export type ReportOptions = {
  readonly config: Config;
  readonly scenario: Scenario;
  readonly services: LabServices;
  readonly seed: number;
  readonly version: string;
  readonly nowMs: number;
  readonly endedEarly: boolean;
};

/** Makes the report of a run. */
export function makeReport(
  { findings, timeline, nodes, tookMs }: LabRun,
  { config, scenario, services, seed, version, nowMs, endedEarly }: ReportOptions,
): LabReport {
  const seen = findings.seen();
  const invariants = INVARIANT_NAMES.map((name) => {
    const { checks, breaks } = seen[name];
    const state =
      breaks > 0 ? ('broken' as const) : checks > 0 ? ('held' as const) : ('not checked' as const);
    return { name, promise: INVARIANTS[name], state, checks, breaks };
  });
  const [network] = config.networks;
  return {
    ...{ form: REPORT_FORM, made_at: new Date(nowMs).toISOString(), version },
    is_sound: invariants.every(({ state }) => state !== 'broken'),
    ...{ ended_early: endedEarly, took_ms: Math.round(tookMs), seed, scenario },
    installation: {
      network: `${network?.name ?? 'solana'}-${network?.environment ?? 'localnet'}`,
      nodes,
      store: services.databaseUrl === undefined ? 'embedded' : 'postgres',
      redis: services.redisUrl !== undefined,
      left_out: leftOut(config, {
        hasDatabase: services.databaseUrl !== undefined,
        hasRedis: services.redisUrl !== undefined,
      }),
    },
    ...{ invariants, breaks: findings.kept, totals: timeline.totals(), reads_ms: timeline.latency() },
    faults: timeline.faults.toSorted((a, b) => a.from_ms - b.from_ms),
    passed_over: Object.fromEntries(timeline.passedOver),
    ...{ span_ms: timeline.spanMs, spans: timeline.spans() },
  };
}
