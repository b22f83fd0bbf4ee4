import type { Files } from '../area.ts';
import type { ErrorModel } from '../model/errors.ts';
import { docComment, HEADER, literal } from '../text.ts';

/** errors.ts: the catalogue as data, and the context type of each error. */
export const renderErrors = (errors: readonly ErrorModel[]): Files => ({
  'errors.ts': `${HEADER}
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

/** What fills the placeholders of each error's message. */
export type ErrorContext = {
${errors.map((error) => `readonly ${error.name}: ${contextType(error)};\n`).join('')}};
`,
});

const entry = ({ name, summary, area, http, jsonrpc, data }: ErrorModel): string =>
  `${docComment(summary)}${name}: ${literal({ area, http, jsonrpc: { code: jsonrpc.code, message: jsonrpc.message }, data })},\n`;

const contextType = ({ context }: ErrorModel): string => {
  const members = Object.entries(context);
  if (members.length === 0) return 'Readonly<Record<string, never>>';
  return `{ ${members.map(([name, type]) => `readonly ${name}: ${type === 'integer' ? 'number | bigint' : 'string'}`).join('; ')} }`;
};
