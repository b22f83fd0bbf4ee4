import { ByteWriter } from '../../bytes/byte-writer.ts';

const INSTRUCTION_BYTES = 8;
/** Added to an operation whose second operand is a register. */
const FROM_REGISTER = 0x08;
/** Marks a call whose number is the distance of a function in the same code. */
const RELATIVE = 1;

type Form = 'arithmetic' | 'comparison' | 'load' | 'store' | 'jump' | 'call' | 'exit';

/** The instructions that are known, with their operation codes. Comparisons are without sign. */
const OPERATIONS: ReadonlyMap<string, readonly [Form, number]> = new Map([
  ['add64', ['arithmetic', 0x07]],
  ['sub64', ['arithmetic', 0x17]],
  ['mul64', ['arithmetic', 0x27]],
  ['or64', ['arithmetic', 0x47]],
  ['and64', ['arithmetic', 0x57]],
  ['lsh64', ['arithmetic', 0x67]],
  ['mov64', ['arithmetic', 0xb7]],
  ['jeq', ['comparison', 0x15]],
  ['jgt', ['comparison', 0x25]],
  ['jge', ['comparison', 0x35]],
  ['jne', ['comparison', 0x55]],
  ['jlt', ['comparison', 0xa5]],
  ['jle', ['comparison', 0xb5]],
  ['ldxb', ['load', 0x71]],
  ['ldxdw', ['load', 0x79]],
  ['stxb', ['store', 0x73]],
  ['stxdw', ['store', 0x7b]],
  ['ja', ['jump', 0x05]],
  ['call', ['call', 0x85]],
  ['exit', ['exit', 0x95]],
]);

type Instruction = {
  readonly operation: number;
  readonly target?: number;
  readonly source?: number;
  readonly offset?: number;
  readonly number?: number;
};
type Line = { readonly mnemonic: string; readonly operands: readonly string[]; readonly text: string };
/** The index of the instruction behind a label, or the number behind a name of `.equ`. */
type Names = ReadonlyMap<string, number>;

/**
 * Returns the machine code of a program for sBPF version 0 that is written in the notation of Solana's tools: one instruction a line,
 * `label:`, `.equ name, number`, and comments from `;` on.
 *
 * @throws SyntaxError naming the line that cannot be read.
 */
export function assemble(source: string): Uint8Array {
  const lines: Line[] = [];
  const names = new Map<string, number>();
  for (const written of source.split('\n')) {
    const text = written.replace(/;.*/, '').trim();
    const [mnemonic = '', ...operands] = text.split(/[\s,]+/);
    if (mnemonic.endsWith(':')) names.set(mnemonic.slice(0, -1), lines.length);
    else if (mnemonic === '.equ') names.set(operands[0] ?? '', Number(operands[1]));
    else if (text !== '') lines.push({ mnemonic, operands, text });
  }
  const code = new ByteWriter(lines.length * INSTRUCTION_BYTES);
  for (const [index, line] of lines.entries()) {
    const { operation, target = 0, source: from = 0, offset = 0, number = 0 } = encode(line, index, names);
    code
      .u8(operation)
      .u8(target | (from << 4))
      .i16(offset)
      .i32(number);
  }
  return code.bytes;
}

function encode({ mnemonic, operands, text }: Line, index: number, names: Names): Instruction {
  const [first = '', second = '', third = ''] = operands;
  const [form, operation] = OPERATIONS.get(mnemonic) ?? unreadable(text);
  const register = (operand: string): number => registerIn(operand) ?? unreadable(text);
  const number = (operand: string): number => numberIn(operand, names) ?? unreadable(text);
  const distance = (label: string): number => (names.get(label) ?? unreadable(text)) - index - 1;
  const memory = (operand: string): { readonly base: number; readonly offset: number } => {
    const [, base = '', sign = '', at = ''] = /^\[(r\d+)([+-])(\w+)\]$/.exec(operand) ?? unreadable(text);
    return { base: register(base), offset: sign === '-' ? -number(at) : number(at) };
  };
  const registerAndValue = (): Instruction => {
    const from = registerIn(second);
    return from === undefined
      ? { operation, target: register(first), number: number(second) }
      : { operation: operation | FROM_REGISTER, target: register(first), source: from };
  };
  switch (form) {
    case 'arithmetic':
      return registerAndValue();
    case 'comparison':
      return { ...registerAndValue(), offset: distance(third) };
    case 'load': {
      const { base, offset } = memory(second);
      return { operation, target: register(first), source: base, offset };
    }
    case 'store': {
      const { base, offset } = memory(first);
      return { operation, target: base, source: register(second), offset };
    }
    case 'jump':
      return { operation, offset: distance(first) };
    case 'call':
      return { operation, source: RELATIVE, number: distance(first) };
    case 'exit':
      return { operation };
    default:
      return form satisfies never;
  }
}

function registerIn(operand: string): number | undefined {
  const [, index] = /^r(\d|10)$/.exec(operand) ?? [];
  return index === undefined ? undefined : Number(index);
}

function numberIn(operand: string, names: Names): number | undefined {
  return /^-?\d+$/.test(operand) ? Number(operand) : names.get(operand);
}

function unreadable(text: string): never {
  throw new SyntaxError(`sBPF: cannot read "${text}"`);
}
