import type { Files } from '../../area.ts';
import { contractCases } from '../../contract/cases.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { resultSchemas } from '../../model/reach.ts';
import { mapSchema, refTitle, type Schema } from '../../model/schema.ts';
import { listBranches, type ResultSchema } from '../../runtime/branches.ts';
import { HEADER, identifier, literal, shorthand } from '../../text.ts';

/** test/ledger/contract/<method>.ts: the cases of each method and the branches of its result; and their index. */
export const renderContract = (model: LedgerModel): Files => {
  const { methods } = model;
  const definitions = Object.fromEntries(
    [...resultSchemas(model)].map(([title, schema]) => [title, forWalking(schema)]),
  );
  const pages = methods.map((method) => {
    const schema = forWalking(method.result.schema);
    const contract = `${HEADER}import type { MethodContract } from '../../contract-case.ts';

/** The contract of ${method.name}. */
export const ${identifier(method.name)}: MethodContract = {
cases: [
${contractCases(method, model)
  .map((item) => `${literal(item)},\n`)
  .join('')}],
branches: ${literal(listBranches(schema, definitions, method.name))},
resultSchema: ${literal(schema)},
};
`;
    return [`test/ledger/contract/${method.name}.ts`, contract] as const;
  });
  return {
    ...Object.fromEntries(pages),
    'test/ledger/contract.ts': `${HEADER}import type { MethodName } from '../../ledger/methods.ts';
import type { Definitions } from '../branches.ts';
import type { MethodContract } from '../contract-case.ts';
${methods.map(({ name }) => `import { ${identifier(name)} } from './contract/${name}.ts';\n`).join('')}
/** The contract of every method. */
export const CONTRACT: { readonly [M in MethodName]: MethodContract } = {
${methods.map(({ name }) => shorthand(name)).join('')}};

/** What the result schemas refer to. */
export const RESULT_DEFINITIONS: Definitions = ${literal(definitions)};
`,
  };
};

const WALKED = [
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
  'pattern',
] as const;

/** What telling the branches of a value needs, with references into the definitions. */
const forWalking = (schema: Schema): ResultSchema =>
  mapSchema(schema, (part) => {
    const kept = Object.fromEntries(
      WALKED.flatMap((keyword) => (part[keyword] === undefined ? [] : [[keyword, part[keyword]]])),
    );
    return part.$ref === undefined ? kept : { ...kept, $ref: `#/$defs/${refTitle(part.$ref)}` };
  });
