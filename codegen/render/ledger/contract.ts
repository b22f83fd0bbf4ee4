import type { Files } from '../../area.ts';
import { contractCases } from '../../contract/cases.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { listBranches } from '../../../runtime/branches.ts';
import { HEADER, identifier, literal, shorthand } from '../../text.ts';
import { resultDefinitions, resultSchema } from './results.ts';

/** contract/ledger/contract/<method>.ts: the cases of each method and the branches of its result; and their index. */
export const renderContract = (model: LedgerModel): Files => {
  const { methods } = model;
  const definitions = resultDefinitions(model);
  const pages = methods.map((method) => {
    const contract = `${HEADER}import type { MethodContract } from '../../../../runtime/contract-case.ts';
import { ${identifier(method.name)} as resultSchema } from '../results/${method.name}.ts';

/** The contract of ${method.name}. */
export const ${identifier(method.name)}: MethodContract = {
cases: [
${contractCases(method, model)
  .map((item) => `${literal(item)},\n`)
  .join('')}],
branches: ${literal(listBranches(resultSchema(method.result.schema), definitions, method.name))},
resultSchema,
};
`;
    return [`contract/ledger/contract/${method.name}.ts`, contract] as const;
  });
  return {
    ...Object.fromEntries(pages),
    'contract/ledger/contract.ts': `${HEADER}import type { MethodName } from '../../ledger/methods.ts';
import type { MethodContract } from '../../../runtime/contract-case.ts';
${methods.map(({ name }) => `import { ${identifier(name)} } from './contract/${name}.ts';\n`).join('')}
/** The contract of every method. */
export const CONTRACT: { readonly [M in MethodName]: MethodContract } = {
${methods.map(({ name }) => shorthand(name)).join('')}};
`,
  };
};
