import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AREAS } from './areas.ts';
import { formatFiles } from './format.ts';
import { generate } from './generate.ts';
import { loadSources } from './load.ts';
import { printProblem } from './problem.ts';
import { findDrift, writeFiles } from './write.ts';

/** Where lines go: of what differs, and of what is wrong. */
export type Output = { readonly print: (line: string) => void; readonly printError: (line: string) => void };

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Reads --spec, writes --out; with --check only compares. Exit code 1: the spec is wrong, or --out is not what it should be. */
export const runCommand = (args: readonly string[], { print, printError }: Output): number => {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      spec: { type: 'string', default: fromRoot('spec') },
      out: { type: 'string', default: fromRoot('generated') },
      check: { type: 'boolean', default: false },
    },
  });
  const loaded = loadSources(options.spec, AREAS);
  const outcome = loaded.problems.length > 0 ? loaded : generate(loaded.sources, AREAS);
  if ('problems' in outcome) {
    for (const problem of outcome.problems) printError(printProblem(problem));
    printError(`${outcome.problems.length} problem(s) in ${options.spec}; nothing is written`);
    return 1;
  }
  const formatted = formatFiles(outcome.files);
  const drift = (options.check ? findDrift : writeFiles)(options.out, formatted);
  for (const path of [...drift.changed, ...drift.stale])
    print(`${drift.stale.includes(path) ? 'stale' : 'changed'} ${path}`);
  return options.check && drift.changed.length + drift.stale.length > 0 ? 1 : 0;
};
