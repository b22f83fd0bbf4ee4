import type { Files } from '../../area.ts';
import { printDocument } from '../../json.ts';

/** Parts of a document by name. */
type Parts = Readonly<Record<string, unknown>>;

/** References to parts in their own files, and these files. */
export type SplitParts = {
  readonly references: Readonly<Record<string, { readonly $ref: string }>>;
  readonly files: Files;
};

/**
 * Puts each part of a document in ledger/ into its own file, `<folder>/<name>.json`, so that a new part changes one line of the document.
 * runtime/read-document.ts joins them again.
 */
export const splitParts = (folder: string, parts: Parts): SplitParts => {
  const names = Object.keys(parts);
  return {
    references: Object.fromEntries(names.map((name) => [name, { $ref: `./${folder}/${name}.json` }])),
    files: Object.fromEntries(
      names.map((name) => [`ledger/${folder}/${name}.json`, printDocument(parts[name])]),
    ),
  };
};
