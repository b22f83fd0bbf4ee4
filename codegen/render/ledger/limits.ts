import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import type { Schema } from '../../model/schema.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/limits.ts: the limits in the files of the methods, for code that enforces them. */
export const renderLimits = ({ methods }: LedgerModel): Files => ({
  'ledger/limits.ts': `${HEADER}
/** Limits and defaults of each method that has some, by param (or \`result\`), members and keyword; \`span\` as x-span says. */
export const LIMITS = {
${methods.map(entry).join('')}} as const;
`,
});

const entry = (method: Method): string => {
  const { name, params, result, span } = method;
  const found = [
    ...(span ? [['span', span.maximum] as const] : []),
    ...params.flatMap((param) => numbersIn(param.schema, param.name)),
    ...numbersIn(result.schema, 'result'),
  ];
  return found.length === 0 ? '' : `${memberName(name)}: ${literal(Object.fromEntries(found))},\n`;
};

const KEYWORDS = ['minimum', 'maximum', 'minItems', 'maxItems', 'default'] as const;

/** The limits in a schema itself; those of shared types do not belong to a method. */
const numbersIn = (schema: Schema, path: string): readonly (readonly [string, number | bigint])[] => [
  ...KEYWORDS.flatMap((keyword) => {
    const value = schema[keyword];
    return typeof value === 'number' || typeof value === 'bigint'
      ? [[`${path}.${keyword}`, value] as const]
      : [];
  }),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    numbersIn(member, `${path}.${name}`),
  ),
  ...(schema.anyOf ?? []).flatMap((branch) => numbersIn(branch, path)),
];
