import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { resultSchemas } from '../../model/reach.ts';
import { mapSchema, refTitle, type Schema } from '../../model/schema.ts';
import type { Definitions, ResultSchema } from '../../../runtime/result-schema.ts';
import { printJson } from '../../json.ts';
import { HEADER, identifier, literal, memberName } from '../../text.ts';

/**
 * contract/ledger/results/<method>.ts: the schema of each result; contract/ledger/definitions.json: their shared definitions;
 * contract/ledger/results.ts and contract/ledger/notifications.ts: their validators, for the contract command and for tests.
 */
export const renderResults = (model: LedgerModel): Files => ({
  ...Object.fromEntries(
    model.methods.map(({ name, result }) => [
      `contract/ledger/results/${name}.ts`,
      resultModule(name, result),
    ]),
  ),
  ...renderDefinitions(model),
  'contract/ledger/results.ts': `${HEADER}import type { MethodName } from '../../ledger/methods.ts';
import type { Validator } from '../../../runtime/lazy-validators.ts';
import { resultValidator } from './result-definitions.ts';
${model.methods.map(({ name }) => `import { ${identifier(name)} } from './results/${name}.ts';\n`).join('')}
/** The validator of each method's result. */
export const RESULT_VALIDATORS: { readonly [M in MethodName]: Validator } = {
${model.methods.map(({ name }) => `${memberName(name)}: resultValidator(${identifier(name)}),\n`).join('')}};
`,
  'contract/ledger/notifications.ts': `${HEADER}import type { SubscriptionName } from '../../ledger/subscriptions.ts';
import type { Validator } from '../../../runtime/lazy-validators.ts';
import { resultValidator } from './result-definitions.ts';

/** The validator of what each subscription's notifications carry. */
export const NOTIFICATION_VALIDATORS: { readonly [S in SubscriptionName]: Validator } = {
${model.subscriptions.map(({ name, notification }) => `${memberName(name)}: ${validatorOf(notification)},\n`).join('')}};

/** The validator of the notice of a gap. */
export const GAP_VALIDATOR = ${validatorOf(model.common.gap)};

/** The validator of the reply to a subscribe call. */
export const REPLY_VALIDATOR = ${validatorOf(model.common.reply)};
`,
});

type Sent = { readonly schema: Schema };

/** Definitions get one line each if possible: only validators read them. */
const DEFINITION_WIDTH = 1_000;

const renderDefinitions = (model: LedgerModel): Files => ({
  'contract/ledger/definitions.json': `${printJson(resultDefinitions(model), DEFINITION_WIDTH)}\n`,
  'contract/ledger/result-definitions.ts': `${HEADER}import { readDocument } from '../../../runtime/read-document.ts';
import { createResultValidators, type Definitions } from '../../../runtime/result-schema.ts';

/** The definitions that the schemas of results and notifications refer to. */
export const RESULT_DEFINITIONS = readDocument(new URL('./definitions.json', import.meta.url)) as Definitions;

/** Makes a validator of a schema that refers to them. */
export const resultValidator = createResultValidators(RESULT_DEFINITIONS);
`,
});

const resultModule = (
  name: string,
  { schema }: Sent,
): string => `${HEADER}import type { ResultSchema } from '../../../../runtime/result-schema.ts';

/** The result of ${name}. */
export const ${identifier(name)}: ResultSchema = ${literal(resultSchema(schema))};
`;

const validatorOf = ({ schema }: Sent): string => `resultValidator(${literal(resultSchema(schema))})`;

/** The definitions that the schemas of results use, by title. */
export const resultDefinitions = (model: LedgerModel): Definitions =>
  Object.fromEntries([...resultSchemas(model)].map(([title, schema]) => [title, resultSchema(schema)]));

const KEPT = [
  '$ref',
  'title',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'x-int',
  'x-base58',
] as const;

/** The parts of a schema for checking values and distinguishing branches, with references to the definitions. */
export const resultSchema = (schema: Schema): ResultSchema =>
  mapSchema(schema, (part) => {
    const kept = Object.fromEntries(
      KEPT.flatMap((keyword) => (part[keyword] === undefined ? [] : [[keyword, part[keyword]]])),
    );
    return part.$ref === undefined ? kept : { ...kept, $ref: `#/$defs/${refTitle(part.$ref)}` };
  });
