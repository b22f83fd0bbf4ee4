import type { Files } from '../../area.ts';
import { contractOf } from '../../contract/rest/cases.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { namesOf } from '../../model/rest/service.ts';
import { HEADER, literal } from '../../text.ts';

/** contract/<service>/contract/<operationId>.ts: the cases of each operation; and their index. */
export const renderCases = (model: RestModel): Files => ({
  ...Object.fromEntries(
    model.operations.map((operation) => {
      const { cases, statuses } = contractOf(operation, model);
      return [
        `contract/${model.service.folder}/contract/${operation.id}.ts`,
        `${HEADER}import type { RestContract } from '../../../../runtime/rest-case.ts';

/** The contract of ${operation.id}. */
export const ${operation.id}: RestContract = {
statuses: ${literal(statuses)},
cases: [
${cases.map((item) => `${literal(item)},\n`).join('')}],
};
`,
      ];
    }),
  ),
  [`contract/${model.service.folder}/contract.ts`]: `${HEADER}import type { OperationId } from '../../${model.service.folder}/operations.ts';
import type { RestContract } from '../../../runtime/rest-case.ts';
${model.operations.map(({ id }) => `import { ${id} } from './contract/${id}.ts';\n`).join('')}
/** The contract of every operation. */
export const ${namesOf(model.service).upper}_CONTRACT: { readonly [O in OperationId]: RestContract } = {
${model.operations.map(({ id }) => `${id},\n`).join('')}};

/** The values that a run can be given: a description of each, by name. */
export const ${namesOf(model.service).upper}_VALUES = ${literal(model.scenario.values)} as const;

/** States of the server that a run can only be given from inside. */
export const ${namesOf(model.service).upper}_CONDITIONS = ${literal(model.scenario.conditions)} as const;

export type ${model.service.prefix}ValueName = keyof typeof ${namesOf(model.service).upper}_VALUES;
export type ${model.service.prefix}Condition = keyof typeof ${namesOf(model.service).upper}_CONDITIONS;
`,
});
