import type { Schema } from '../../model/schema.ts';
import { finding, type LedgerDocuments, type Rule } from './rule.ts';

const LIMITS = ['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength'] as const;

/** A limit is a keyword; the text beside it does not say the number again (small numbers may be of something else). */
export const checkRepeatedLimits: Rule = ({ parts, methods }: LedgerDocuments) => [
  ...parts.flatMap((part) =>
    repeated(part.schema, part.schema.description).map((limit) =>
      finding(
        'limits',
        { ...part, pointer: `${part.pointer}/description` },
        `the text repeats the limit ${limit}`,
        false,
      ),
    ),
  ),
  ...methods.flatMap(({ file, method }) =>
    (method.params ?? []).flatMap(({ schema, description }, index) =>
      repeated(schema, description).map((limit) =>
        finding(
          'limits',
          { file, pointer: `/params/${index}/description` },
          `the text repeats the limit ${limit}`,
          false,
        ),
      ),
    ),
  ),
];

const TELLING = 10;

const repeated = (schema: Schema, text: string | undefined): readonly number[] => {
  const numbers = new Set(
    (text?.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(',', ''))),
  );
  return LIMITS.flatMap((keyword) => schema[keyword] ?? []).filter(
    (limit) => limit >= TELLING && numbers.has(limit),
  );
};
