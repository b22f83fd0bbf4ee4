import type { Files } from '../area.ts';
import type { ErrorModel } from '../model/errors.ts';
import { fileTitle } from '../model/ledger.ts';
import { docComment, HEADER, literal } from '../text.ts';

/** errors.ts: the catalogue as data, and the context type of each error, the whole data included where it has a schema. */
export const renderErrors = (errors: readonly ErrorModel[]): Files => ({
  'errors.ts': `${HEADER}${dataImport(errors)}
/** Every error by its stable name: HTTP status, JSON-RPC code and message template, and the context members that go into \`data\`. */
export const ERRORS = {
${errors.map(entry).join('')}} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorEntry = {
  readonly area: string;
  readonly http: number;
  readonly jsonrpc: { readonly code: number; readonly message: string };
  readonly data: readonly string[];
};

export type ErrorName = keyof typeof ERRORS;

/** What fills the placeholders of each error's message, and its data. */
export type ErrorContext = {
${errors.map((error) => `readonly ${error.name}: ${contextType(error)};\n`).join('')}};
`,
});

const entry = ({ name, summary, area, http, jsonrpc, data }: ErrorModel): string =>
  `${docComment(summary)}${name}: ${literal({ area, http, jsonrpc: { code: jsonrpc.code, message: jsonrpc.message }, data })},\n`;

const dataImport = (errors: readonly ErrorModel[]): string => {
  const titles = new Set(
    errors.flatMap(({ dataSchema }) => (dataSchema ? [fileTitle(dataSchema.$ref)] : [])),
  );
  return titles.size === 0
    ? ''
    : `import type { ${[...titles].sort().join(', ')} } from './ledger/types.ts';\n`;
};

const contextType = ({ context, dataSchema }: ErrorModel): string => {
  const members = Object.entries(context).map(
    ([name, type]) => `readonly ${name}: ${type === 'integer' ? 'number | bigint' : 'string'}`,
  );
  if (dataSchema) members.push(`readonly data: ${fileTitle(dataSchema.$ref)}`);
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
};
