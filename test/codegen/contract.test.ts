import { describe, expect, it } from 'vitest';
import { errorEntry, type ErrorName } from '../../generated/errors.ts';
import { isMethodName } from '../../generated/ledger/methods.ts';
import { checkParams } from '../../generated/ledger/params.ts';
import { CONTRACT } from '../../generated/contract/ledger/contract.ts';
import { RESULT_DEFINITIONS } from '../../generated/contract/ledger/result-definitions.ts';
import { seenBranches } from '../../runtime/branches.ts';

const cases = Object.values(CONTRACT).flatMap((contract) => contract.cases);

/** Something that fits in the place of a scenario value. */
const standIn = (value: unknown): unknown => {
  if (typeof value === 'string' && value.startsWith('$')) {
    if (/Slot$/.test(value)) return 50;
    return '1'.repeat(/Signature$/.test(value) ? 64 : 32);
  }
  if (Array.isArray(value)) return value.map(standIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, standIn(member)]));
};

describe('derived contract cases', () => {
  it('are refused by the validators with the error they state', () => {
    const derived = cases.filter(({ kind, method }) => kind !== 'example' && isMethodName(method));
    expect(derived.length).toBeGreaterThan(1000);
    for (const { method, name, params, expect: expected } of derived) {
      const violation = isMethodName(method) ? checkParams(method, standIn(params)) : undefined;
      if (expected.kind === 'error')
        expect([method, name, violation?.error]).toEqual([method, name, expected.error]);
      if (expected.kind === 'not-refused')
        expect([method, name, violation]).toEqual([method, name, undefined]);
    }
  });

  it('state messages that the violations fill in just so', () => {
    for (const { method, params, expect: expected } of cases) {
      if (expected.kind !== 'error' || expected.message === undefined || !isMethodName(method)) continue;
      const violation = checkParams(method, standIn(params));
      if (!violation) continue;
      const { message = '' } = errorEntry(violation.error satisfies ErrorName).jsonrpc ?? {};
      expect(message.replace(/\{(\w+)\}/g, (_, name: string) => String(violation.context[name]))).toBe(
        expected.message,
      );
    }
  });

  it('hold every limit at n and beyond', () => {
    const names = CONTRACT.getSignatureStatuses.cases
      .filter(({ kind }) => kind === 'limit')
      .map(({ name, params }) => [
        name,
        Array.isArray(params) && Array.isArray(params[0]) ? params[0].length : 0,
      ]);
    expect(names).toEqual([
      ['signatures at its maxItems', 256],
      ['signatures beyond its maxItems', 257],
    ]);
  });
});

describe('branches', () => {
  const { branches, resultSchema } = CONTRACT.getSignatureStatuses;
  const status = {
    slot: 1,
    confirmations: null,
    err: null,
    status: { Ok: null },
    confirmationStatus: 'finalized',
  };
  const seen = (value: unknown) =>
    [
      ...seenBranches(
        resultSchema,
        { context: { slot: 1, apiVersion: '1' }, value },
        RESULT_DEFINITIONS,
        'getSignatureStatuses',
      ),
    ].sort();

  it('are seen only when the value shows them', () => {
    expect(seen([null])).toEqual([]);
    expect(seen([status])).not.toEqual([]);
    for (const branch of seen([status])) expect(branches).toContain(branch);
    expect(seen([{ ...status, confirmations: 5 }])).toEqual(expect.arrayContaining([...seen([status])]));
    expect(seen([{ ...status, confirmations: 5 }]).length).toBe(seen([status]).length + 1);
  });

  it('of a schema that two methods share have the same names', () => {
    const shared = CONTRACT.getTransaction.branches.filter((branch) =>
      CONTRACT.getBlock.branches.includes(branch),
    );
    expect(shared.length).toBeGreaterThan(20);
  });
});
