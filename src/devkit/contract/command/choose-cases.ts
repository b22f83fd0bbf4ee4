import { METHODS, type MethodName } from '../../../../generated/ledger/methods.ts';
import type { Case } from '../../../../runtime/contract-case.ts';
import type { Scenario } from '../scenario.ts';
import type { ObservedScenario } from './observe-scenario.ts';

/** The cases of a read-only run, and their values. */
export type Choice = {
  readonly cases: readonly Case[];
  readonly scenario: Scenario;
};

/** Addresses of the scenario. Any address will do if only the refusal of another param counts. */
const ADDRESSES = [
  ...['recipient', 'dataProgram', 'dataAccount8', 'mint', 'mint2022', 'tokenAccount', 'token2022Account'],
  ...['delegate', 'lookupTable', 'nonceAccount'],
];

/** Programs that own millions of accounts on the public networks. */
const BUSY_PROGRAMS = ['tokenProgram', 'token2022Program', 'systemProgram'];

/**
 * Leaves out cases that request an airdrop or send a transaction, list the accounts of a busy program, or need values that the server
 * could not show. Error cases other than the examples test the refusal of a param: their addresses are replaced by one that was read.
 */
export function chooseCases(all: readonly Case[], observed: ObservedScenario): Choice {
  const isKnown = (name: string, { kind, expect }: Case): boolean => {
    const maySwap = kind !== 'example' && expect.kind === 'error' && ADDRESSES.includes(name);
    return observed.value(maySwap ? 'wallet' : name) !== undefined;
  };
  const isSent = (item: Case): boolean =>
    !isWrite(item.method) &&
    !isBurden(item) &&
    namesIn([item.params, item.expect]).every((name) => isKnown(name, item));
  return {
    cases: all.filter(isSent),
    scenario: {
      value: async (name) => {
        const value = observed.value(name) ?? observed.value('wallet');
        if (value === undefined) throw new Error(`the server showed no $${name}`);
        return await value();
      },
    },
  };
}

/** Compared without case: a server may take a name in another case for the method. */
function isWrite(method: string): boolean {
  const names = Object.keys(METHODS) as MethodName[];
  const name = names.find((each) => each.toLowerCase() === method.toLowerCase());
  return name !== undefined && METHODS[name].retry === 'never';
}

function isBurden({ method, params }: Case): boolean {
  return method === 'getProgramAccounts' && namesIn(params).some((name) => BUSY_PROGRAMS.includes(name));
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(namesIn);
}
