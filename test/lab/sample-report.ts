import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InstallationKey, loadInstallationKey } from '../../src/account/installation-key.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Invariant } from '../../src/lab/checks/invariants.ts';
import { type LabReport, makeReport } from '../../src/lab/report/report.ts';
import { loadScenario } from '../../src/lab/scenario/load-scenario.ts';
import { newFindings } from './lab-deps.ts';

/** The report of a run of five minutes in which one invariant was broken. */
export function sampleReport(broken?: { readonly invariant: Invariant; readonly what: string }): LabReport {
  const { findings, timeline } = newFindings();
  findings.check('failed_read', 1_000);
  timeline.read('http', 12);
  timeline.count('events_delivered', 3);
  const faults = Array.from({ length: 40 }, (_, at) => ({
    ...{ part: 'node', kind: 'lag', target: `node-${(at % 3) + 1}`, what: 'is 7 slots behind' },
    ...{ from_ms: at * 7_000, to_ms: at * 7_000 + 2_500 },
  }));
  timeline.faults.push(...faults);
  timeline.passedOver.set('node fork', 3);
  if (broken !== undefined) findings.break(broken.invariant, broken.what);
  const scenario = loadScenario(join(import.meta.dirname, '../../docs/lab/nodes.yaml'));
  return makeReport(
    { findings, timeline, nodes: ['node-1', 'node-2', 'node-3'], tookMs: 300_000 },
    {
      ...{
        config: loadConfig({ env: {} }),
        scenario,
        services: { databaseUrl: undefined, redisUrl: undefined },
      },
      ...{ seed: 7, version: '1.0.0', nowMs: Date.UTC(2026, 0, 31), endedEarly: false },
    },
  );
}

/** An installation key in a directory. */
export function newInstallationKey(directory: string, name: string): Promise<InstallationKey> {
  const file = join(directory, name);
  writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  return loadInstallationKey({ dataDir: directory, file });
}
