import type { Sources } from '../../load.ts';
import { fileTitle } from '../../model/ledger.ts';
import { childSchemas } from '../../model/schema.ts';
import type { OperationFile } from '../../model/wallets/operation.ts';
import type { WalletSchema } from '../../model/wallets/schema.ts';
import {
  operationFiles,
  readHead,
  readWallets,
  readWalletsScenario,
  type WalletsHead,
  type WalletsModel,
  type WalletsScenario,
  walletSchemaFiles,
} from '../../model/wallets/wallets.ts';
import { pointerTo, type Problem } from '../../problem.ts';

/** A schema or a part of one, and its location. */
export type LocatedWalletSchema = {
  readonly file: string;
  readonly pointer: string;
  readonly schema: WalletSchema;
};

/** What the rules look at. Every file here has passed the shape check. */
export type WalletDocuments = {
  readonly sources: Sources;
  readonly head: WalletsHead;
  readonly scenario: WalletsScenario;
  readonly operations: readonly { readonly file: string; readonly operation: OperationFile }[];
  /** Schema files by title. */
  readonly schemas: ReadonlyMap<string, { readonly file: string; readonly schema: WalletSchema }>;
  /** Every schema and part of a schema, of all files. */
  readonly parts: readonly LocatedWalletSchema[];
  /** The model of the documents; only once their references are known to lead somewhere. */
  readonly model: () => WalletsModel;
};

/** One thing that must hold; answers where it does not. */
export type WalletRule = (documents: WalletDocuments) => readonly Problem[];

/** Reads the documents that passed the shape check. */
export const readWalletDocuments = (sources: Sources): WalletDocuments => {
  const operations = operationFiles(sources).map(([file, operation]) => ({ file, operation }));
  const schemas = walletSchemaFiles(sources).map(([file, schema]) => ({ file, schema }));
  return {
    sources,
    head: readHead(sources),
    scenario: readWalletsScenario(sources),
    operations,
    schemas: new Map(schemas.map((entry) => [fileTitle(entry.file), entry])),
    parts: [
      ...schemas.flatMap(({ file, schema }) => partsOf({ file, pointer: '', schema })),
      ...operations.flatMap(({ file, operation }) => operationParts(file, operation)),
    ],
    model: () => readWallets(sources),
  };
};

const operationParts = (
  file: string,
  { query, requestBody, responses }: OperationFile,
): readonly LocatedWalletSchema[] => [
  ...(query ? partsOf({ file, pointer: '/query', schema: query }) : []),
  ...(requestBody ? partsOf({ file, pointer: '/requestBody/schema', schema: requestBody.schema }) : []),
  ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([media, form]) =>
      (['schema', 'x-item-schema'] as const).flatMap((keyword) => {
        const schema = form[keyword];
        const pointer = pointerTo('/responses', status, 'content', media, keyword);
        return schema ? partsOf({ file, pointer, schema }) : [];
      }),
    ),
  ),
];

const partsOf = (placed: LocatedWalletSchema): readonly LocatedWalletSchema[] => [
  placed,
  ...childSchemas(placed.schema).flatMap(([steps, schema]) =>
    partsOf({ ...placed, pointer: pointerTo(placed.pointer, ...steps), schema }),
  ),
];
