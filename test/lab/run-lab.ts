import { systemClock } from '../../src/core/clock.ts';
import { judgeSends, settleRun } from './checks/settle-run.ts';
import { Findings } from './checks/findings.ts';
import { startClients } from './clients/start-clients.ts';
import { runFaults } from './faults/run-faults.ts';
import { createLabKey, openAccounts } from './gateways/open-accounts.ts';
import { type Installation, type InstallationOptions, startInstallation } from './gateways/installation.ts';
import { randomOf } from './random.ts';
import { Timeline } from './report.ts';
import type { Scenario } from './scenarios.ts';

/** The records of a run. */
export type LabRun = {
  readonly installation: Installation;
  readonly findings: Findings;
  readonly timeline: Timeline;
  readonly tookMs: number;
};

export type LabOptions = Pick<InstallationOptions, 'services' | 'leftovers' | 'root'> & {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Ends the run early; what was begun is settled all the same. */
  readonly signal?: AbortSignal;
  /** Clients are at work until it resolves. Default: for as long as the scenario says. */
  readonly until?: (run: Omit<LabRun, 'tookMs'>) => Promise<void>;
  /** Looks at the installation when all is settled. */
  readonly after?: (installation: Installation) => Promise<void>;
  readonly onProgress?: (step: string) => void;
};

/** When gateways give up a node, in milliseconds: by default, and in scenarios whose gateways are impatient. */
const DEFAULT = { patienceMs: 5_000, silenceMs: 10_000, waitMs: 2_000 };
const IMPATIENT = { patienceMs: 1_000, silenceMs: 2_000, waitMs: 3_000 };
/** A transaction goes to one node: `upstream.send_to` is 1 by default. */
const SEND_TO = 1;
/** On top of the time until a node is given up: a busy machine. */
const SLACK_MS = 5_000;
/** The time after the end in which clients settle what they have begun. */
const SETTLE_MS = 60_000;

/** Runs a scenario: gateways before scripted nodes, clients of all protocols, and faults; then everything is held against what clients saw. */
export async function runLab(options: LabOptions): Promise<LabRun> {
  const { scenario, onProgress = () => undefined } = options;
  onProgress('starting scripted nodes and gateways');
  const installation = await startLab(options);
  try {
    return await runOn(installation, { ...options, onProgress, scenario });
  } finally {
    onProgress('removing what was made');
    await installation.remove();
  }
}

/** Starts the nodes and gateways of a scenario. */
export function startLab({
  scenario: { nodes = 3, gateways = 1, isImpatient = false },
  ...options
}: Pick<LabOptions, 'services' | 'leftovers' | 'root' | 'onProgress'> & {
  readonly scenario: Pick<Scenario, 'nodes' | 'gateways' | 'isImpatient'>;
}): Promise<Installation> {
  const { patienceMs, silenceMs, waitMs } = isImpatient ? IMPATIENT : DEFAULT;
  const env = {
    KEYSLOT_UPSTREAM_PATIENCE_MS: String(patienceMs),
    KEYSLOT_UPSTREAM_WS_SILENCE_MS: String(silenceMs),
    KEYSLOT_UPSTREAM_OWN_READS_WAIT_MS: String(waitMs),
  };
  return startInstallation({ ...options, nodes, gateways, env });
}

async function runOn(
  installation: Installation,
  { scenario, seed, signal, until, after, onProgress = () => undefined }: LabOptions,
): Promise<LabRun> {
  const { gateways, nodes } = installation;
  const { nowMs } = systemClock;
  const apiKey = await createLabKey(gateways);
  let startedMs = performance.now();
  const sinceStart = (): number => performance.now() - startedMs;
  const findings = new Findings(sinceStart);
  const timeline = new Timeline(sinceStart);
  const accounts = await openAccounts({ installation, findings, timeline }, scenario.clients);
  startedMs = performance.now();
  const over = new AbortController();
  const settled = new AbortController();
  const pause = pauseUntil(over.signal);
  const { patienceMs, silenceMs } = scenario.isImpatient ? IMPATIENT : DEFAULT;
  const readMs = patienceMs * nodes.length + SLACK_MS;
  const deps = { gateways, findings, timeline, apiKey, readMs, pause, over: over.signal };
  onProgress(`clients at work, with seed ${seed}`);
  const clients = startClients(
    { ...deps, random: randomOf(seed + 1) },
    {
      clients: scenario.clients,
      accounts,
      receiver: installation.receiver,
      silenceMs,
      settled: settled.signal,
      nowMs,
    },
  );
  const faults = runFaults(scenario.faults, { ...deps, ...installation, random: randomOf(seed) });
  const failed = Promise.race([clients, faults]).then(() => undefined);
  const isEnding = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const ended = pauseUntil(isEnding)(until === undefined ? scenario.durationS * 1_000 : DAY_MS);
  try {
    await Promise.race([
      ended,
      failed,
      ...(until === undefined ? [] : [until({ installation, findings, timeline })]),
    ]);
  } catch (error) {
    settled.abort();
    throw error;
  } finally {
    over.abort();
  }
  onProgress('mending, and settling what clients have begun');
  await faults;
  const timer = setTimeout(() => settled.abort(), SETTLE_MS);
  await clients;
  clearTimeout(timer);
  const tookMs = sinceStart();
  for (const gateway of gateways) await gateway.isReady();
  onProgress('comparing wallets, keys, charges, audit log and webhooks with what clients were told');
  await settleRun({ ...deps, gateways, random: randomOf(seed), nowMs }, accounts);
  const taken = nodes.map(({ name, server }) => ({ name, taken: server.node.taken }));
  judgeSends(taken, SEND_TO, findings);
  await after?.(installation);
  return { installation, findings, timeline, tookMs };
}

const DAY_MS = 86_400_000;

/** Pauses that end when a signal is aborted. */
function pauseUntil(signal: AbortSignal): (ms: number) => Promise<void> {
  return (ms) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
    });
}
