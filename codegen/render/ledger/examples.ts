import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import type { Subscription } from '../../model/subscription.ts';
import { HEADER, identifier, literal, shorthand } from '../../text.ts';

/**
 * ledger/examples/<name>.ts: the answers of a method's examples, or the notifications of a subscription's; and their register. Examples
 * that the checks of params refuse are left out.
 */
export const renderExamples = ({ methods, subscriptions }: LedgerModel): Files => ({
  ...Object.fromEntries(
    methods.map((method) => [
      `ledger/examples/${method.name}.ts`,
      examplesModule(method.name, 'Example', answered(method)),
    ]),
  ),
  ...Object.fromEntries(
    subscriptions.map((item) => [
      `ledger/examples/${item.name}.ts`,
      examplesModule(item.name, 'SubscriptionExample', notified(item)),
    ]),
  ),
  'ledger/example.ts': `${HEADER}import type { ErrorName } from '../errors.ts';

/** A call that the specification shows, with its answer. */
export type Example =
  | { readonly params: readonly unknown[]; readonly result: unknown }
  | { readonly params: readonly unknown[]; readonly error: ErrorName; readonly context: Readonly<Record<string, unknown>> };

/** A subscribe call that the specification shows, with what is notified then. */
export type SubscriptionExample = { readonly params: readonly unknown[]; readonly notifications: readonly unknown[] };
`,
  'ledger/examples.ts': `${HEADER}import type { Example, SubscriptionExample } from './example.ts';
import type { MethodName } from './methods.ts';
import type { SubscriptionName } from './subscriptions.ts';
${[...methods, ...subscriptions].map(({ name }) => `import { ${identifier(name)} } from './examples/${name}.ts';\n`).join('')}
/** The examples of every method, in the order of the specification. */
export const EXAMPLES: { readonly [M in MethodName]: readonly Example[] } = {
${methods.map(({ name }) => shorthand(name)).join('')}};

/** The same of every subscription; those that are refused are left out. */
export const SUBSCRIPTION_EXAMPLES: { readonly [S in SubscriptionName]: readonly SubscriptionExample[] } = {
${subscriptions.map(({ name }) => shorthand(name)).join('')}};
`,
});

const examplesModule = (
  name: string,
  type: string,
  examples: readonly object[],
): string => `${HEADER}import type { ${type} } from '../example.ts';

/** The examples of ${name}. */
export const ${identifier(name)}: readonly ${type}[] = [
${examples.map((example) => `${literal(example)},\n`).join('')}];
`;

const answered = ({ examples, errors }: Method): readonly object[] =>
  examples
    .filter(({ error }) => error === undefined || errors.includes(error))
    .map(({ params, result, error, context = {} }) =>
      error === undefined ? { params, result } : { params, error, context },
    );

const notified = ({ examples }: Subscription): readonly object[] =>
  examples.flatMap(({ params, notifications }) =>
    notifications === undefined ? [] : [{ params, notifications }],
  );
