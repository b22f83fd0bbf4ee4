import { parseDocument } from 'yaml';
import type { Json } from './json.ts';

/** Plain data of a YAML document, with exact integers. Throws SyntaxError with line and column. */
export const parseYaml = (text: string): Json => {
  const document = parseDocument(text, { intAsBigInt: true });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw new SyntaxError(fault.message.split('\n')[0]?.replace(/:$/, ''));
  return narrow(document.toJS({ maxAliasCount: -1 }));
};

/** Integers that a number holds exactly become numbers; the rest stay bigint. */
const narrow = (value: unknown): Json => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrow);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item)]));
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  throw new SyntaxError(`a value of type ${typeof value} is not JSON`);
};
