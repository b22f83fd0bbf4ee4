import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import { HEADER, identifier, shorthand } from '../../text.ts';

/** ledger/localnet-handlers.ts: the localnet's handler files, one per method that a node serves. */
export const renderLocalnetHandlers = ({ methods }: LedgerModel): Files => {
  const served = methods.filter((method) => method.served === 'upstream');
  return {
    'ledger/localnet-handlers.ts': `${HEADER}import type { Ledger } from '../../src/localnet/ledger.ts';
${served.map((method) => importOf(method, 'localnet')).join('')}import type { LedgerHandlers } from './handlers.ts';

/** The handler of each method in the localnet. */
export const LOCALNET_HANDLERS: LedgerHandlers<Ledger> = {
${served.map(({ name }) => shorthand(name)).join('')}};
`,
  };
};

/** ledger/cheat-handlers.ts: the localnet's handler files of cheat codes, in their own folder. */
export const renderCheatHandlers = ({ methods }: LedgerModel): Files => ({
  'ledger/cheat-handlers.ts': `${HEADER}import type { Ledger } from '../../src/localnet/ledger.ts';
${methods.map(({ name }) => `import { ${identifier(name)} } from '../../src/localnet/cheats/${name}.ts';\n`).join('')}import type { LedgerHandlers } from './handlers.ts';

/** The handler of each cheat code in the localnet. */
export const CHEAT_HANDLERS: LedgerHandlers<Ledger> = {
${methods.map(({ name }) => shorthand(name)).join('')}};
`,
});

/** ledger/localnet-subscriptions.ts: the localnet's subscription files. */
export const renderLocalnetSubscriptions = ({ subscriptions }: LedgerModel): Files => ({
  'ledger/localnet-subscriptions.ts': `${HEADER}${subscriptions
    .map(({ name }) => `import { ${name} } from '../../src/localnet/subscriptions/${name}.ts';\n`)
    .join('')}import type { LocalnetSubscription } from '../../src/localnet/subscriptions/subscription.ts';
import type { SubscriptionName } from './subscriptions.ts';

/** The handler of each subscribe call in the localnet. */
export const LOCALNET_SUBSCRIPTIONS: { readonly [S in SubscriptionName]: LocalnetSubscription<S> } = {
${subscriptions.map(({ name }) => shorthand(name)).join('')}};
`,
});

/** ledger/gateway-handlers.ts: the gateway's own methods and guards. */
export const renderGatewayHandlers = ({ methods }: LedgerModel): Files => {
  const served = methods.filter((method) => method.served === 'gateway');
  const guarded = methods.filter((method) => method.guard);
  return {
    'ledger/gateway-handlers.ts': `${HEADER}${[...served, ...guarded].map((method) => importOf(method, 'gateway/ledger')).join('')}import type { GuardedMethod, ServedByGateway } from './methods.ts';

/** Methods that the gateway answers itself. */
export const GATEWAY_HANDLERS = {
${served.map(({ name }) => shorthand(name)).join('')}} satisfies Readonly<Record<ServedByGateway, unknown>>;

/** Checks that run after the params have passed and before the call goes upstream. */
export const GATEWAY_GUARDS = {
${guarded.map(({ name }) => shorthand(name)).join('')}} satisfies Readonly<Record<GuardedMethod, unknown>>;
`,
  };
};

const importOf = ({ name }: Method, room: string): string =>
  `import { ${identifier(name)} } from '../../src/${room}/methods/${name}.ts';\n`;
