import type { Files } from '../../area.ts';
import { walletContract } from '../../contract/wallets/cases.ts';
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER, literal } from '../../text.ts';

/** contract/wallets/contract/<operationId>.ts: the cases of each operation; and their index. */
export const renderWalletCases = (model: WalletsModel): Files => ({
  ...Object.fromEntries(
    model.operations.map((operation) => {
      const { cases, statuses } = walletContract(operation, model);
      return [
        `contract/wallets/contract/${operation.id}.ts`,
        `${HEADER}import type { WalletContract } from '../../../../runtime/wallet-case.ts';

/** The contract of ${operation.id}. */
export const ${operation.id}: WalletContract = {
statuses: ${literal(statuses)},
cases: [
${cases.map((item) => `${literal(item)},\n`).join('')}],
};
`,
      ];
    }),
  ),
  'contract/wallets/contract.ts': `${HEADER}import type { OperationId } from '../../wallets/operations.ts';
import type { WalletContract } from '../../../runtime/wallet-case.ts';
${model.operations.map(({ id }) => `import { ${id} } from './contract/${id}.ts';\n`).join('')}
/** The contract of every operation. */
export const WALLET_CONTRACT: { readonly [O in OperationId]: WalletContract } = {
${model.operations.map(({ id }) => `${id},\n`).join('')}};

/** What a run may be given: what each value is, by name. */
export const WALLET_VALUES = ${literal(model.scenario.values)} as const;

/** States of the server that a run can only be given from inside. */
export const WALLET_CONDITIONS = ${literal(model.scenario.conditions)} as const;

export type WalletValueName = keyof typeof WALLET_VALUES;
export type WalletCondition = keyof typeof WALLET_CONDITIONS;
`,
});
