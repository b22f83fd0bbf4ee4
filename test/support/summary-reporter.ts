import { cpus, loadavg } from 'node:os';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { TIER } from './tier.ts';

const SLOWEST = 10;

/**
 * Says at the end of a run which files took longest, which tests did not run and what would enable them, and how many tests the tier holds;
 * and of a run that is terminated, as one that takes too long, which files had not ended.
 */
export default class SummaryReporter implements Reporter {
  readonly #running = new Set<string>();
  #startedAtMs = 0;

  onInit(): void {
    this.#startedAtMs = performance.now();
    process.once('SIGTERM', () => console.log(`TERMINATED during: ${[...this.#running].join(', ')}`));
  }

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#running.add(relativeModuleId);
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const seconds = (performance.now() - this.#startedAtMs) / 1_000;
    console.log(`\nSlowest files of ${modules.length}:`);
    for (const [file, fileSeconds] of slowest(modules)) console.log(`  ${fileSeconds.toFixed(1)} s  ${file}`);
    for (const [reason, count] of countSkips(tests)) console.log(`SKIPPED (${count}): ${reason}`);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    console.log(
      `Tier ${TIER}: ${tests.length} tests in ${modules.length} files: ${count('passed')} passed, ${count('failed')} failed, ` +
        `${count('skipped')} skipped, in ${seconds.toFixed(0)} s on ${cpus().length} cores (load ${loadavg()[0]?.toFixed(1)})`,
    );
  }
}

function slowest(modules: readonly TestModule[]): readonly (readonly [string, number])[] {
  return modules
    .map((module) => {
      const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic();
      const ms = duration + collectDuration + prepareDuration + setupDuration;
      return [module.relativeModuleId, ms / 1_000] as const;
    })
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST);
}

function countSkips(tests: readonly TestCase[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const result = test.result();
    // One that was to run and has no note did not, because its setup failed: that is reported as a failure.
    if (result.state !== 'skipped' || (result.note === undefined && test.options.mode === 'run')) continue;
    const reason = result.note ?? `${test.module.relativeModuleId}, ${test.fullName}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
