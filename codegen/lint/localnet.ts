import type { Sources } from '../load.ts';
import { asLedger, CHEATS_FOLDER, hasCheats, ledgerPlace } from '../model/localnet.ts';
import type { Problem } from '../problem.ts';
import { lintLedger } from './ledger/index.ts';

/** Lints the documents of the cheat codes by the rules of the ledger's. Faults of the ledger's own files are left to its lint. */
export const lintCheats = (sources: Sources): readonly Problem[] => {
  if (!hasCheats(sources)) return [];
  const own = new Map(
    [...sources.keys()]
      .filter((path) => path.startsWith(CHEATS_FOLDER))
      .map((path) => [ledgerPlace(path), path] as const),
  );
  return lintLedger(asLedger(sources)).flatMap((problem) => {
    const file = own.get(problem.file);
    return file === undefined ? [] : [{ ...problem, file }];
  });
};
