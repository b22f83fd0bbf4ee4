import type { LedgerModel } from '../model/ledger.ts';
import type { Live, Method } from '../model/method.ts';
import type { Case, Expectation } from '../../runtime/contract-case.ts';
import { errorByCode, exactError } from './expect.ts';
import { limitCases } from './limits.ts';
import { arityCases, commitmentCases, conflictCases, nameCases } from './refusals.ts';
import { withVersions } from './since.ts';
import { rangeCases, wrongTypeCases } from './types.ts';

/** The contract of a method as calls with expected answers. */
export const contractCases = (method: Method, model: LedgerModel): readonly Case[] =>
  withVersions(
    [
      ...exampleCases(method, model),
      ...limitCases(method, model),
      ...rangeCases(method, model),
      ...wrongTypeCases(method, model),
      ...conflictCases(method, model),
      ...commitmentCases(method, model),
      ...arityCases(method, model),
      ...nameCases(method, model),
    ],
    method,
    model,
  );

const exampleCases = (method: Method, model: LedgerModel): readonly Case[] =>
  method.examples.map(({ name, params, error, 'x-since': since, 'x-live': live }) => {
    return {
      method: method.name,
      name,
      kind: 'example',
      params: live?.params ?? params,
      expect: expectationOf(live?.error ?? error, live, model),
      ...(since !== undefined && { since }),
      ...(live?.setup !== undefined && { setup: live.setup }),
    };
  });

/** The expectation of a run: for a result that of x-live, for an error its code, and its message if x-live fills it in. */
const expectationOf = (
  error: string | undefined,
  live: Live | undefined,
  model: LedgerModel,
): Expectation => {
  if (error === undefined) return { kind: 'result', ...(live?.result !== undefined && { has: live.result }) };
  return live?.context === undefined ? errorByCode(error, model) : exactError(error, live.context, model);
};
