import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { transactionError } from '../../src/localnet/bank/runtime.ts';
import { errorText } from '../../src/localnet/transaction/error-text.ts';

/** The members of an enumeration in the runtime's own declarations, in order. */
function runtimeNames(enumeration: string): readonly string[] {
  const path = createRequire(import.meta.url).resolve('litesvm/dist/internal.d.ts');
  const body = readFileSync(path, 'utf8').match(new RegExp(`enum ${enumeration} \\{([^}]*)\\}`))?.[1] ?? '';
  return [...body.matchAll(/(\w+) = (\d+)/g)].map(([, name = '', position = '']) => {
    return `${position}:${name}`;
  });
}

function specNames(schema: string): readonly string[] {
  const text = readFileSync(new URL(`../../spec/ledger/schemas/${schema}.yaml`, import.meta.url), 'utf8');
  return (parse(text) as { anyOf: [{ enum: string[] }] }).anyOf[0].enum;
}

test('every transaction error of the runtime has the name that the spec gives it', () => {
  const names = runtimeNames('TransactionErrorFieldless');
  expect(names).toHaveLength(specNames('TransactionError').length);
  for (const entry of names) expect(transactionError(Number.parseInt(entry, 10))).toBe(entry.split(':')[1]);
});

test('every instruction error of the runtime has the name that the spec gives it', () => {
  const names = runtimeNames('InstructionErrorFieldless');
  expect(names).toHaveLength(specNames('InstructionError').length);
  for (const entry of names) {
    const error = { index: 3, err: () => Number.parseInt(entry, 10) };
    expect(transactionError(error)).toEqual({ InstructionError: [3, entry.split(':')[1]] });
  }
});

test('an error number that is not known is no error to pass on', () => {
  expect(() => transactionError(99 as never)).toThrow('unknown error number 99');
});

test('texts are those of a node', () => {
  expect(errorText({ InstructionError: [2, { Custom: 6001 }] })).toBe(
    'Error processing Instruction 2: custom program error: 0x1771',
  );
  expect(errorText({ InstructionError: [0, 'MissingRequiredSignature'] })).toBe(
    'Error processing Instruction 0: missing required signature for instruction',
  );
  expect(errorText({ DuplicateInstruction: 1 })).toBe(
    'Transaction contains a duplicate instruction (1) that is not allowed',
  );
  expect(errorText({ ProgramExecutionTemporarilyRestricted: { account_index: 4 } })).toBe(
    'Execution of the program referenced by account at index 4 is temporarily restricted.',
  );
});
