import { expect, test } from 'vitest';
import { assemble } from '../../../src/localnet/programs/sbpf/assemble.ts';

const hex = (source: string): string => Buffer.from(assemble(source)).toString('hex');

test.each([
  ['mov64 r1, 5', 'b701000005000000'],
  ['mov64 r10, r9', 'bf9a000000000000'],
  ['and64 r1, -8', '57010000f8ffffff'],
  ['add64 r3, r10', '0fa3000000000000'],
  ['ldxb r4, [r1+0]', '7114000000000000'],
  ['ldxdw r4, [r10-16]', '79a4f0ff00000000'],
  ['stxdw [r10-8], r2', '7b2af8ff00000000'],
  ['stxb [r2+31], r4', '73421f0000000000'],
  ['exit', '9500000000000000'],
])('%s is %s', (source, code) => {
  expect(hex(source)).toBe(code);
});

test('labels are distances from the next instruction, forward and back', () => {
  const source = `
    start:              ; a comment
      jeq r1, 0, end
      jlt r1, r2, start
      call end
      ja start
    end:
      exit`;
  expect(hex(source).match(/.{16}/g)).toEqual([
    ...['1501030000000000', 'ad21feff00000000', '8510000001000000'],
    ...['0500fcff00000000', '9500000000000000'],
  ]);
});

test('names of .equ stand for their numbers', () => {
  expect(hex('.equ SIZE, 33\nmul64 r2, SIZE\nldxb r1, [r2-SIZE]')).toBe('27020000210000007121dfff00000000');
});

test.each([
  'mov r1, 5',
  'mov64 r11, 5',
  'mov64 r1, UNKNOWN',
  'ja nowhere',
  'ldxb r1, r2',
  'stxb [r1+X], r2',
  'jeq 1, 2, x',
])('%s is refused with its line', (line) => {
  expect(() => assemble(`exit\n${line} ; why`)).toThrow(new SyntaxError(`sBPF: cannot read "${line}"`));
});
