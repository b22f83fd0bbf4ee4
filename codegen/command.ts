import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AREAS } from './areas.ts';
import { formatFiles } from './format.ts';
import type { Files } from './area.ts';
import { generate } from './generate.ts';
import { loadSources } from './load.ts';
import { printProblem } from './problem.ts';
import { findDrift, writeFiles } from './write.ts';

/** Prints differences, and errors. */
export type Output = { readonly print: (line: string) => void; readonly printError: (line: string) => void };

/** Folders that nobody reads in the repository: they are built where needed, and their digests are committed instead. */
const BUILT = /^(contract|ledger\/examples|reference)\//;
const DIGESTS = 'built.sha256';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Reads --spec, writes --out; with --check only compares with the committed files. Exit code 1: the spec has errors, or --out is out of
 * date.
 */
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
    printError(`${outcome.problems.length} problem(s) in ${options.spec}; nothing was written`);
    return 1;
  }
  const formatted = formatFiles(outcome.files);
  const files = { ...formatted, [DIGESTS]: digestsOf(formatted) };
  const drift = options.check ? findDrift(options.out, files, BUILT) : writeFiles(options.out, files);
  for (const path of [...drift.changed, ...drift.stale])
    print(`${drift.stale.includes(path) ? 'stale' : 'changed'} ${path}`);
  return options.check && drift.changed.length + drift.stale.length > 0 ? 1 : 0;
};

/** A line for each built folder of an area, in the form of sha256sum. */
function digestsOf(files: Files): string {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const path of Object.keys(files)
    .filter((each) => BUILT.test(each))
    .sort()) {
    const folder = path.split('/').slice(0, 2).join('/');
    const hash = hashes.get(folder) ?? createHash('sha256');
    hashes.set(folder, hash.update(JSON.stringify([path, files[path]])));
  }
  return [...hashes].map(([folder, hash]) => `${hash.digest('hex')}  ${folder}\n`).join('');
}
