import type { LedgerModel } from '../model/ledger.ts';
import type { Method } from '../model/method.ts';
import type { Case } from '../runtime/contract-case.ts';
import { errorByCode } from './expect.ts';
import { limitCases } from './limits.ts';
import { arityCases, commitmentCases, conflictCases, nameCases } from './refusals.ts';
import { withVersions } from './since.ts';
import { rangeCases, wrongTypeCases } from './types.ts';

/** Everything the contract of a method says, as calls with what they must answer. */
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
    const expected = live?.error ?? error;
    return {
      method: method.name,
      name,
      kind: 'example',
      params: live?.params ?? params,
      expect: expected === undefined ? { kind: 'result' } : errorByCode(expected, model),
      ...(live?.setup !== undefined && { setup: live.setup }),
    };
  });
