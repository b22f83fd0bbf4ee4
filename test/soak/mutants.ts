import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { applyMutant, MUTANTS } from './mutants/mutant.ts';
import { readArrows } from './mutants/reached-tests.ts';
import { renderOutcomes, renderResults } from './mutants/report.ts';
import { copyTree } from './mutants/tree-copy.ts';
import { checkTypes, type Outcome, tryMutant } from './mutants/try-mutant.ts';

// `make soak PART=mutants`: puts faults into a copy of the tree, one at a time, and runs the tests that the changed file can reach. Prints
// who catches each, writes mutants-results.md, and exits with 1 when one is caught by nobody or too few are in the short tier. ONLY=name
// tries one.

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
/** The least that the tests that people run all the time have to catch. */
const LEAST_IN_SHORT_TIER = 24;
const RESULTS = new URL('mutants-results.md', import.meta.url);

const mutants = MUTANTS.filter(({ name }) => values.only === '' || name === values.only);
if (mutants.length === 0) {
  console.error(`ONLY is '${values.only}', expected one of:\n${MUTANTS.map(({ name }) => name).join('\n')}`);
  process.exit(2);
}
const tree = { root: copyTree(), arrows: readArrows() };
for (const mutant of mutants) applyMutant(mutant, tree.root);
console.log('checking types with all of them in place');
const refused = await checkTypes(tree, mutants);
if (refused !== '') {
  console.error(`the compiler refuses a mutant, which needs no test then:\n${refused}`);
  process.exit(1);
}

const outcomes: Outcome[] = [];
for (const mutant of mutants) {
  const outcome = await tryMutant(tree, mutant);
  outcomes.push(outcome);
  const { caughtIn, by, seconds, unsteady } = outcome;
  for (const file of unsteady) console.error(`${file} failed, but not only with the fault`);
  console.log(`${mutant.name}: ${by ?? caughtIn}, ${seconds.toFixed(0)} s`);
}
console.log(`\n${renderOutcomes(outcomes)}`);
const faults = judge();
if (values.only === '') {
  const before = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  writeFileSync(RESULTS, renderResults(outcomes, before));
}
console.log(faults.length === 0 ? '\nEvery fault was caught.' : `\n${faults.join('\n')}`);
process.exit(faults.length === 0 ? 0 : 1);

function judge(): readonly string[] {
  const missed = outcomes.filter(({ caughtIn }) => caughtIn === 'nobody');
  const inShort = outcomes.filter(({ caughtIn }) => caughtIn === 'short').length;
  return [
    ...missed.map(({ mutant, path }) => `nobody catches ${mutant.name} in ${path}: ${mutant.fault}`),
    ...(values.only === '' && inShort < LEAST_IN_SHORT_TIER
      ? [`expected ${LEAST_IN_SHORT_TIER} or more to be caught in the short tier, got ${inShort}`]
      : []),
  ];
}
