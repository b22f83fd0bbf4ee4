import { availableParallelism } from 'node:os';
import { renderTable } from '../render-table.ts';
import type { Outcome } from './try-mutant.ts';

const HEAD = ['mutant', 'room', 'caught in', 'by', 'seconds'];

/** The outcomes as a table of text. */
export function renderOutcomes(outcomes: readonly Outcome[]): string {
  return renderTable([HEAD, ...outcomes.map(rowOf)], [1, 2, 3]);
}

/** The results as a document. What people wrote below its first heading of the second level stays. */
export function renderResults(outcomes: readonly Outcome[], before: string): string {
  const written = before.indexOf('\n## ');
  const count = (tier: Outcome['caughtIn']): number =>
    outcomes.filter(({ caughtIn }) => caughtIn === tier).length;
  const rows = outcomes.map((outcome) => `| ${rowOf(outcome).join(' | ')} |`);
  return `# Mutants

\`make soak PART=mutants\`, on a machine with ${availableParallelism()} cores, of ${new Date().toISOString().slice(0, 10)}: ${outcomes.length} faults are put into a copy of the tree, one at a time
(\`test/soak/mutants/mutants.yaml\` says what each does to users). \`make test\` catches ${count('short')} of them, \`make test-all\` ${count('all')} more, and
${count('nobody')} are caught by nobody. The seconds are those until a test failed and had passed without the fault, on a machine with other work.

| ${HEAD.join(' | ')} |
|---|---|---|---|---:|
${rows.join('\n')}
${written < 0 ? '' : before.slice(written)}`;
}

function rowOf({ mutant, caughtIn, by, seconds }: Outcome): readonly string[] {
  const room = mutant.in.replace(/^src\//, '');
  return [mutant.name, room, caughtIn, by?.replace(/^test\//, '') ?? '', seconds.toFixed(0)];
}
