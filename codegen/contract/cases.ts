import type { LedgerModel } from '../model/ledger.ts';
import type { Live, Method } from '../model/method.ts';
import type { Case, Expectation } from '../../runtime/contract-case.ts';
import { errorByCode, exactError } from './expect.ts';
import { limitCases } from './limits.ts';
import { arityCases, commitmentCases, conflictCases, nameCases } from './refusals.ts';
import { withVersions } from './since.ts';
import { rangeCases, wrongTypeCases } from './types.ts';

/** The contract of a method as calls with their expected answers. */
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
  method.examples.map(({ name, params, error, 'x-live': live }) => {
    return {
      method: method.name,
      name,
      kind: 'example',
      params: live?.params ?? params,
      expect: expectationOf(live?.error ?? error, live, model),
      ...(live?.setup !== undefined && { setup: live.setup }),
    };
  });

/** What a run expects: of a result what x-live says, of an error its code, and its words where x-live fills them in. */
const expectationOf = (
  error: string | undefined,
  live: Live | undefined,
  model: LedgerModel,
): Expectation => {
  if (error === undefined) return { kind: 'result', ...(live?.result !== undefined && { has: live.result }) };
  return live?.context === undefined ? errorByCode(error, model) : exactError(error, live.context, model);
};
