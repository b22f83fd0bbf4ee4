import type { DocumentKind, Sources } from './load.ts';
import type { Problem } from './problem.ts';

/** Path below generated/ to text. */
export type Files = Readonly<Record<string, string>>;

/** Renders output files from the frozen model; pure. */
export type Renderer<Model> = (model: Model) => Files;

/** One input of the pipeline (a set of spec documents) and everything rendered from it. */
export type Area = {
  readonly name: string;
  /** Its own spec files. */
  readonly reads: readonly DocumentKind[];
  /** Gets the documents of all areas. */
  readonly lint: (sources: Sources) => readonly Problem[];
  /** Called only with sources that passed lint. */
  readonly render: (sources: Sources) => Files;
};

/** Builds an area from its parts: documents, lint, model, renderers. */
export const createArea = <Model>({
  model,
  renderers,
  ...parts
}: Omit<Area, 'render'> & {
  readonly model: (sources: Sources) => Model;
  readonly renderers: readonly Renderer<Model>[];
}): Area => ({
  ...parts,
  render: (sources) => {
    const documents = model(sources);
    return mergeFiles(renderers.map((render) => render(documents)));
  },
});

/** Merges outputs; two renderers must not write the same path. */
export const mergeFiles = (outputs: readonly Files[]): Files => {
  const merged: Record<string, string> = {};
  for (const [path, text] of outputs.flatMap((output) => Object.entries(output))) {
    if (path in merged) throw new Error(`two renderers write ${path}`);
    merged[path] = text;
  }
  return merged;
};
