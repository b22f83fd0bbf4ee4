import type { LedgerModel } from '../model/ledger.ts';
import type { Callable } from '../model/method.ts';
import { type Subscription, unsubscribeOf } from '../model/subscription.ts';
import type { Case } from '../../runtime/contract-case.ts';
import { errorByCode } from './expect.ts';
import { limitCases } from './limits.ts';
import { baseParams } from './param-values.ts';
import { arityCases, commitmentCases, conflictCases, nameCases } from './refusals.ts';
import { withVersions } from './since.ts';
import { rangeCases, wrongTypeCases } from './types.ts';

/** The contract of a subscription as calls with expected answers, and as expected notifications. */
export const subscriptionCases = (item: Subscription, model: LedgerModel): readonly Case[] =>
  withVersions(allCases(item, model), item, model);

const allCases = (item: Subscription, model: LedgerModel): readonly Case[] => [
  ...refusalCases(item, model),
  ...refusalCases(unsubscribeOf(item, model.common), model),
  {
    method: item.name,
    name: `ended by ${item.unsubscribe}, once`,
    kind: 'life',
    params: baseParams(item),
    expect: { kind: 'result' },
  },
  ...item.examples.flatMap(({ name, params, 'x-live': live }): readonly Case[] =>
    live?.by === undefined
      ? []
      : [
          {
            method: item.name,
            name,
            kind: 'notification',
            params: live.params ?? params,
            expect: { kind: 'result', ...(live.notification !== undefined && { has: live.notification }) },
            by: live.by,
          },
        ],
  ),
];

const refusalCases = (call: Callable, model: LedgerModel): readonly Case[] => [
  ...exampleCases(call, model),
  ...limitCases(call, model),
  ...rangeCases(call, model),
  ...wrongTypeCases(call, model),
  ...conflictCases(call, model),
  ...commitmentCases(call, model),
  ...arityCases(call, model),
  ...nameCases(call, model),
];

/** Examples of refusals; an error that only some servers answer cannot be requested. */
const exampleCases = ({ name: method, examples }: Callable, model: LedgerModel): readonly Case[] =>
  examples.flatMap(({ name, params, error }): readonly Case[] =>
    error === undefined || error === 'methodNotFound'
      ? []
      : [{ method, name, kind: 'example', params, expect: errorByCode(error, model) }],
  );
