import { fileURLToPath } from 'node:url';
import { AREAS } from '../../codegen/areas.ts';
import type { Files } from '../../codegen/area.ts';
import { generate } from '../../codegen/generate.ts';
import type { Json } from '../../codegen/json.ts';
import { loadSources, type Sources } from '../../codegen/load.ts';
import type { Problem } from '../../codegen/problem.ts';

/** A file of this folder or below. */
export const pathHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let fixture: Sources | undefined;

/** The documents of the fixture, read once: the generator changes none of them (determinism.test.ts). */
export const fixtureSources = (): Sources => {
  fixture ??= loadSources(pathHere('fixture'), AREAS).sources;
  return fixture;
};

/** The unformatted output of sources that must be in order. */
export const generateFiles = (sources: Sources): Files => {
  const outcome = generate(sources, AREAS);
  if ('problems' in outcome)
    throw new Error(outcome.problems.map(({ file, message }) => `${file}: ${message}`).join('\n'));
  return outcome.files;
};

/** The problems of the fixture after one of its documents was changed. */
export const problemsAfter = (
  file: string,
  change: (document: Record<string, never>) => Json | undefined,
): readonly Problem[] => {
  const sources = new Map(fixtureSources());
  const document = structuredClone(sources.get(file)) as Record<string, never>;
  sources.set(file, change(document) ?? document);
  const outcome = generate(sources, AREAS);
  return 'problems' in outcome ? outcome.problems : [];
};
