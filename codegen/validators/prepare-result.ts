import { reachedFrom } from '../model/reach.ts';
import type { Schema, Schemas } from '../model/schema.ts';
import { prepareResult as prepare } from '../../runtime/result-schema.ts';
import type { Prepared } from '../../runtime/value-keywords.ts';

/** The input of a result validator: the schema and, under `$defs`, every schema it uses. */
export const prepareResult = (schema: Schema, schemas: Schemas): Prepared => {
  const reached = reachedFrom(schema, schemas);
  const defs = Object.fromEntries([...reached].map(([title, target]) => [title, prepare(target, refTo)]));
  return { ...prepare(schema, refTo), ...(reached.size > 0 && { $defs: defs }) };
};

const refTo = (title: string): string => `#/$defs/${title}`;
