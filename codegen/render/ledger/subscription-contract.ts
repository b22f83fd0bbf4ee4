import type { Files } from '../../area.ts';
import { subscriptionCases } from '../../contract/subscription-cases.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER, literal, memberName, quote, shorthand } from '../../text.ts';

/** test/ledger/subscription-contract/<name>.ts: the cases of each subscription; and their index. */
export const renderSubscriptionContract = (model: LedgerModel): Files => ({
  ...Object.fromEntries(
    model.subscriptions.map((item) => [
      `test/ledger/subscription-contract/${item.name}.ts`,
      `${HEADER}import type { Case } from '../../contract-case.ts';

/** The contract of ${item.name}. */
export const ${item.name}: readonly Case[] = [
${subscriptionCases(item, model)
  .map((each) => `${literal(each)},\n`)
  .join('')}];
`,
    ]),
  ),
  'test/ledger/subscription-contract.ts': `${HEADER}import type { SubscriptionName } from '../../ledger/subscriptions.ts';
import type { Case } from '../contract-case.ts';
${model.subscriptions.map(({ name }) => `import { ${name} } from './subscription-contract/${name}.ts';\n`).join('')}
/** The contract of every subscription, the call that ends it included. */
export const SUBSCRIPTION_CONTRACT: { readonly [S in SubscriptionName]: readonly Case[] } = {
${model.subscriptions.map(({ name }) => shorthand(name)).join('')}};
`,
  'test/ledger/notifications.js': `${HEADER}import * as validators from './result-validators.js';

/** The validator of what each subscription's notifications carry. */
export const NOTIFICATION_VALIDATORS = {
${model.subscriptions.map(({ name }) => `${memberName(name)}: validators.${name},\n`).join('')}};

/** The validator of the notice of a gap. */
export const GAP_VALIDATOR = validators.${model.common.gap.name};

/** The validator of the reply to a subscribe call. */
export const REPLY_VALIDATOR = validators[${quote(REPLY)}];
`,
  'test/ledger/notifications.d.ts': `${HEADER}import type { SubscriptionName } from '../../ledger/subscriptions.ts';
import type { ResultValidator } from './results.js';

export declare const NOTIFICATION_VALIDATORS: { readonly [S in SubscriptionName]: ResultValidator };

export declare const GAP_VALIDATOR: ResultValidator;

export declare const REPLY_VALIDATOR: ResultValidator;
`,
});

/** What the validator of the reply is exported as; no method is called so. */
export const REPLY = 'subscribeReply';
