import type { Sources } from '../../load.ts';
import {
  fileTitle,
  type LedgerModel,
  methodFiles,
  parseMethodFile,
  parseSchema,
  readLedger,
  readScenario,
  type Scenario,
  schemaFiles,
} from '../../model/ledger.ts';
import type { MethodFile } from '../../model/method.ts';
import { readErrors } from '../../model/errors.ts';
import { childSchemas, type Schema } from '../../model/schema.ts';
import { pointerTo, type Problem } from '../../problem.ts';

/** Where a schema stands: in a file of its own, in a param or in a result. */
export type Place = {
  readonly file: string;
  readonly pointer: string;
  readonly position: 'schema' | 'param' | 'result';
};
export type PlacedSchema = Place & { readonly schema: Schema };

/** What the rules look at. Every file here has passed the shape check. */
export type LedgerDocuments = {
  readonly methods: readonly { readonly file: string; readonly method: MethodFile }[];
  /** Schema files by title. */
  readonly schemas: ReadonlyMap<string, { readonly file: string; readonly schema: Schema }>;
  /** Every schema and part of a schema, of all files. */
  readonly parts: readonly PlacedSchema[];
  readonly errorNames: ReadonlySet<string>;
  readonly scenario: Scenario;
  /** The model of the documents; only once their references are known to lead somewhere. */
  readonly model: () => LedgerModel;
};

/** One thing that must hold; answers where it does not. */
export type Rule = (documents: LedgerDocuments) => readonly Problem[];

/** A finding of a rule at a place. Blocking: nothing can be rendered from the file. */
export const finding = (
  rule: string,
  { file, pointer }: Omit<Place, 'position'>,
  message: string,
  blocking = true,
): Problem => ({
  file,
  pointer,
  rule,
  message,
  blocking,
});

/** Reads the documents that passed the shape check. */
export const readDocuments = (sources: Sources): LedgerDocuments => {
  const methods = methodFiles(sources).map(([file, value]) => ({ file, method: parseMethodFile(value) }));
  const schemas = schemaFiles(sources).map(([file, value]) => ({ file, schema: parseSchema(value) }));
  return {
    methods,
    schemas: new Map(schemas.map((entry) => [fileTitle(entry.file), entry])),
    parts: [
      ...schemas.flatMap(({ file, schema }) => partsOf({ file, pointer: '', position: 'schema', schema })),
      ...methods.flatMap(({ file, method }) => [
        ...(method.params ?? []).flatMap(({ schema }, index) =>
          partsOf({ file, pointer: `/params/${index}/schema`, position: 'param', schema }),
        ),
        ...partsOf({ file, pointer: '/result/schema', position: 'result', schema: method.result.schema }),
      ]),
    ],
    errorNames: new Set(readErrors(sources).map(({ name }) => name)),
    scenario: readScenario(sources),
    model: () => readLedger(sources),
  };
};

/** The schema and everything written below it. */
export const partsOf = (placed: PlacedSchema): readonly PlacedSchema[] => [
  placed,
  ...childSchemas(placed.schema).flatMap(([steps, schema]) =>
    partsOf({ ...placed, pointer: pointerTo(placed.pointer, ...steps), schema }),
  ),
];
