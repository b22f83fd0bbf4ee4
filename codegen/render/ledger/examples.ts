import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';
import type { Subscription } from '../../model/subscription.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/examples.ts: what the examples of each method answer, and what is notified after those of each subscription. Those that the checks of params refuse are left out. */
export const renderExamples = ({ methods, subscriptions }: LedgerModel): Files => ({
  'ledger/examples.ts': `${HEADER}import type { ErrorName } from '../errors.ts';
import type { MethodName } from './methods.ts';
import type { SubscriptionName } from './subscriptions.ts';

/** A call that the specification shows, with its answer. */
export type Example =
  | { readonly params: readonly unknown[]; readonly result: unknown }
  | { readonly params: readonly unknown[]; readonly error: ErrorName; readonly context: Readonly<Record<string, unknown>> };

/** The examples of every method, in the order of the specification. */
export const EXAMPLES: { readonly [M in MethodName]: readonly Example[] } = {
${methods.map(entries).join('')}};

/** A subscribe call that the specification shows, with what is notified then. */
export type SubscriptionExample = { readonly params: readonly unknown[]; readonly notifications: readonly unknown[] };

/** The same of every subscription; those that are refused are left out. */
export const SUBSCRIPTION_EXAMPLES: { readonly [S in SubscriptionName]: readonly SubscriptionExample[] } = {
${subscriptions.map(subscriptionEntries).join('')}};
`,
});

const entries = ({ name, examples, errors }: Method): string => {
  const answered = examples.filter(({ error }) => error === undefined || errors.includes(error));
  return `${memberName(name)}: [\n${answered.map(entry).join('')}],\n`;
};

const entry = ({ params, result, error, context = {} }: Example): string =>
  `${literal(error === undefined ? { params, result } : { params, error, context })},\n`;

const subscriptionEntries = ({ name, examples }: Subscription): string => {
  const notified = examples.flatMap(({ params, notifications }) =>
    notifications === undefined ? [] : [`${literal({ params, notifications })},\n`],
  );
  return `${memberName(name)}: [\n${notified.join('')}],\n`;
};
