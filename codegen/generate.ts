import { type Area, type Files, mergeFiles } from './area.ts';
import type { Sources } from './load.ts';
import type { Problem } from './problem.ts';

/** Everything generated, or the problems of the spec. */
export type Outcome = { readonly files: Files } | { readonly problems: readonly Problem[] };

/** Lints the documents and renders every area. Pure: the same documents in any order give the same texts. */
export const generate = (unordered: Sources, areas: readonly Area[]): Outcome => {
  const sources = new Map([...unordered].sort(([a], [b]) => (a < b ? -1 : 1)));
  const problems = uniqueProblems(areas.flatMap((area) => area.lint(sources)));
  if (problems.length > 0) return { problems };
  return { files: mergeFiles(areas.map((area) => area.render(sources))) };
};

const uniqueProblems = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
];
