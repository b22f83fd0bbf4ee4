import type { Files } from '../../area.ts';
import { subscriptionCases } from '../../contract/subscription-cases.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER, literal, shorthand } from '../../text.ts';

/** contract/ledger/subscription-contract/<name>.ts: the cases of each subscription; and their index. */
export const renderSubscriptionContract = (model: LedgerModel): Files => ({
  ...Object.fromEntries(
    model.subscriptions.map((item) => [
      `contract/ledger/subscription-contract/${item.name}.ts`,
      `${HEADER}import type { Case } from '../../../../runtime/contract-case.ts';

/** The contract of ${item.name}. */
export const ${item.name}: readonly Case[] = [
${subscriptionCases(item, model)
  .map((each) => `${literal(each)},\n`)
  .join('')}];
`,
    ]),
  ),
  'contract/ledger/subscription-contract.ts': `${HEADER}import type { SubscriptionName } from '../../ledger/subscriptions.ts';
import type { Case } from '../../../runtime/contract-case.ts';
${model.subscriptions.map(({ name }) => `import { ${name} } from './subscription-contract/${name}.ts';\n`).join('')}
/** The contract of every subscription, the call that ends it included. */
export const SUBSCRIPTION_CONTRACT: { readonly [S in SubscriptionName]: readonly Case[] } = {
${model.subscriptions.map(({ name }) => shorthand(name)).join('')}};
`,
});
