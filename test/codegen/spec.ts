import { AREAS } from '../../codegen/areas.ts';
import type { Json } from '../../codegen/json.ts';
import { loadSources, type Sources } from '../../codegen/load.ts';
import { pathHere } from './fixture.ts';

/** The folder of the real spec. */
export const SPEC = pathHere('../../spec');

let documents: Sources | undefined;

/** The documents of the real spec, read once. */
export const specSources = (): Sources => {
  documents ??= loadSources(SPEC, AREAS).sources;
  return documents;
};

/** The value at `file#/pointer` in the documents; undefined where there is none. */
export const valueAt = (place: string, sources: Sources): Json | undefined => {
  const [file = '', pointer = ''] = place.split('#');
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>(
      (value, step) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as Readonly<Record<string, Json>>)[step]
          : undefined,
      sources.get(file),
    );
};
