import { sep } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const CASES = `${sep}test${sep}contract${sep}ledger.contract.test.ts`;

/**
 * Says at the end how many contract cases passed, and which tests did not run and why, one line per reason; and of a run that is
 * terminated, as one that takes too long, which files had not ended.
 */
export default class SummaryReporter implements Reporter {
  readonly #underWay = new Set<string>();

  onInit(): void {
    process.once('SIGTERM', () => console.log(`TERMINATED during: ${[...this.#underWay].join(', ')}`));
  }

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#underWay.add(relativeModuleId);
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#underWay.delete(relativeModuleId);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const cases = tests.filter(({ module, parent }) => module.moduleId.endsWith(CASES) && parent !== module);
    const passed = cases.filter((test) => test.result().state === 'passed').length;
    if (cases.length > 0) console.log(`Contract: ${passed} of ${cases.length} cases passed`);
    for (const [reason, count] of countSkips(tests)) console.log(`SKIPPED (${count}): ${reason}`);
  }
}

function countSkips(tests: readonly TestCase[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const result = test.result();
    // One that was to run and has no note did not, because its setup failed: that is reported as a failure.
    if (result.state !== 'skipped' || (result.note === undefined && test.options.mode === 'run')) continue;
    const reason = result.note ?? `${test.module.relativeModuleId}, ${test.fullName}: no reason given`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
