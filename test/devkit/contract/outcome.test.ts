import { expect, test } from 'vitest';
import { ERRORS } from '../../../generated/errors.ts';
import type { MethodName } from '../../../generated/ledger/methods.ts';
import { outcomeOf } from '../../../src/devkit/contract/command/method-reports.ts';
import type { CaseResult } from '../../../src/devkit/contract/runner.ts';

const refused = (method: MethodName, error: 'noSnapshot' | 'blockNotAvailable'): CaseResult => ({
  case: { method, name: 'an example', kind: 'example', params: [], expect: { kind: 'result' } },
  failures: ['is refused'],
  answer: { kind: 'error', error: ERRORS[error].jsonrpc },
});

test('a node without snapshots does not differ, whatever the run has made', () => {
  expect(outcomeOf(refused('getHighestSnapshotSlot', 'noSnapshot'), true)).toBe('unproven');
});

test('a ledger that lacks what the run has made differs', () => {
  expect(outcomeOf(refused('getBlock', 'blockNotAvailable'), true)).toBe('differed');
  expect(outcomeOf(refused('getBlock', 'blockNotAvailable'), false)).toBe('unproven');
});
