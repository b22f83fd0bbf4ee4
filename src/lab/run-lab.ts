import type { Config } from '../../generated/config.ts';
import type { Scenario } from '../../generated/lab.ts';
import { Findings } from './checks/findings.ts';
import { judgeSends } from './checks/judge-sends.ts';
import { settleRun } from './checks/settle-run.ts';
import { startClients } from './clients/start-clients.ts';
import { runFaults } from './faults/run-faults.ts';
import { createLabKey } from './gateways/customer.ts';
import type { Leftovers } from './gateways/leftovers.ts';
import { openAccounts } from './gateways/open-accounts.ts';
import { type Installation, type LabServices, startInstallation } from './gateways/start-installation.ts';
import { randomOf } from './random.ts';
import { Timeline } from './report/timeline.ts';

/** What a run has seen. */
export type LabRun = {
  readonly findings: Findings;
  readonly timeline: Timeline;
  readonly nodes: readonly string[];
  readonly tookMs: number;
};

export type LabOptions = {
  readonly config: Config;
  readonly scenario: Scenario;
  readonly services: LabServices;
  readonly seed: number;
  /** Ends the run early; what was begun is settled all the same. */
  readonly signal: AbortSignal;
  /** Told what is made, until it is removed. */
  readonly leftovers: Leftovers;
  /** The time of day in milliseconds. */
  readonly nowMs: () => number;
  readonly onProgress: (step: string) => void;
};

/** Beside the time until a node is given up: a busy machine. */
const SLACK_MS = 5_000;
/** What clients have begun is asked for so long after the end. */
const SETTLE_MS = 60_000;

/** Runs a scenario: gateways before scripted nodes, clients of all protocols, and faults; then everything is held against what clients saw. */
export async function runLab(options: LabOptions): Promise<LabRun> {
  const { onProgress } = options;
  onProgress('starting scripted nodes and gateways');
  const installation = await startInstallation(options);
  try {
    return await runOn(installation, options);
  } finally {
    onProgress('removing what was made');
    await installation.remove();
  }
}

async function runOn(installation: Installation, options: LabOptions): Promise<LabRun> {
  const { config, scenario, seed, signal, onProgress } = options;
  const { gateways, nodes } = installation;
  const apiKey = await createLabKey(gateways);
  let startedMs = performance.now();
  const sinceStart = (): number => performance.now() - startedMs;
  const findings = new Findings(sinceStart);
  const timeline = new Timeline(sinceStart, scenario.duration_s * 1_000);
  const accounts = await openAccounts({ installation, findings, timeline }, scenario.clients);
  startedMs = performance.now();
  const over = new AbortController();
  const settled = new AbortController();
  const pause = pauseUntil(over.signal);
  const readMs = config.upstream.patience_ms * nodes.length + SLACK_MS;
  const deps = { gateways, findings, timeline, apiKey, readMs, pause, over: over.signal };
  onProgress(`clients at work for ${scenario.duration_s} s, with seed ${seed}`);
  const clients = startClients(
    { ...deps, random: randomOf(seed + 1) },
    {
      ...{ clients: scenario.clients, accounts, receiver: installation.receiver },
      ...{ silenceMs: config.upstream.ws_silence_ms, settled: settled.signal, nowMs: options.nowMs },
    },
  );
  const faults = runFaults(scenario.faults, { ...deps, ...installation, random: randomOf(seed) });
  const failed = Promise.race([clients, faults]).then(() => undefined);
  try {
    await Promise.race([pauseUntil(signal)(scenario.duration_s * 1_000), failed]);
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
  await settleRun({ ...deps, gateways, random: randomOf(seed), nowMs: options.nowMs }, accounts);
  const taken = nodes.map(({ name, server }) => ({ name, taken: server.node.taken }));
  judgeSends(taken, config.upstream.send_to, findings);
  return { findings, timeline, tookMs, nodes: nodes.map(({ name }) => name) };
}

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
