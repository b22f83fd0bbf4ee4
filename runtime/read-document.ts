import { readFileSync } from 'node:fs';
import { parseJson } from './json.ts';

const REFERENCE = /\{\s*"\$ref":\s*"(\.\/[\w./-]+\.json)"\s*\}/g;

/**
 * Reads an OpenAPI or OpenRPC document with its referenced files: each `{ "$ref": "./name.json" }` is replaced by that file. References
 * within the document stay. Integers beyond 2^53 are bigint.
 */
export const readDocument = (document: URL): unknown => parseJson(readText(document));

// Inside a JSON string a quote is escaped, so every match is a reference.
const readText = (file: URL): string =>
  readFileSync(file, 'utf8').replace(REFERENCE, (_, path: string) => readText(new URL(path, file)));
