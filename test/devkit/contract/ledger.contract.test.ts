import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { LEDGER_ENV } from '../../support/test-ledger.ts';
import { isThorough } from '../../support/tier.ts';
import { createDriftRecord } from '../../../src/devkit/contract/command/print-report.ts';
import { GALLERY } from './gallery.ts';
import { type CaseResult, runContract } from '../../../src/devkit/contract/runner.ts';
import { actScenario } from '../../../src/devkit/contract/scenario.ts';
import { sampleOf } from './sample.ts';
import { branchesOf, compareSeen, readNotYetSeen, seenIn } from './seen-branches.ts';

const TABLES = {
  ...Object.fromEntries(Object.entries(CONTRACT).map(([method, { cases }]) => [method, sampleOf(cases)])),
  gallery: GALLERY,
};
const cases = Object.values(TABLES).flat();
const drift = createDriftRecord();
let server: RunningKeyslot;
let results: readonly CaseResult[];

beforeAll(async () => {
  server = await startKeyslot({ env: LEDGER_ENV });
  const target = { ...server, hear: drift.hear };
  results = await runContract(target, cases, await actScenario(target));
});

afterAll(async () => {
  await server?.stop();
});

let index = 0;
for (const [table, members] of Object.entries(TABLES)) {
  describe(table, () => {
    for (const { kind, name } of members) {
      const at = index++;
      test(`${kind}: ${name}`, () => {
        expect(results[at]?.failures).toEqual([]);
      });
    }
  });
}

test('nothing was answered that the specification does not know', () => {
  expect(drift.report()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), findings: [] });
});

// A sample does not show every branch.
if (isThorough)
  test('every method had a result and every branch of it was seen, except those listed with a reason', async () => {
    const [seen, listed] = [seenIn(results), await readNotYetSeen()];
    console.log(
      `${cases.length} contract cases; ${seen.size} methods and branches seen, ${listed.size} not yet:`,
    );
    for (const [id, { why }] of listed) console.log(`  ${id}: ${why}`);
    expect(compareSeen(branchesOf(CONTRACT), seen, listed)).toEqual({
      missing: [],
      seenAfterAll: [],
      unknown: [],
    });
  });
