import { expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/command-spec.ts';
import { ALL_COMMANDS } from '../../src/cli/find-command.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';

const runnable = ALL_COMMANDS.filter(({ name }) => name !== 'help' && name !== 'version');

const wordsOf = ({ args }: CommandSpec): readonly string[] => args.map(({ name }) => name.toLowerCase());

test.each(runnable)(
  '$name takes every option of the table, with its value as the next word and behind =',
  (command) => {
    const { name, options } = command;
    const start = [...name.split(' '), ...wordsOf(command)];
    for (const option of options) {
      const flag = `--${option.name}`;
      const value = option.value === undefined ? true : 'x';
      const values = Array.from({ length: option.valueCount ?? 1 }, () => 'x');
      const list = option.isRepeatable ? values : undefined;
      const forms =
        option.value === undefined
          ? [[flag]]
          : [
              [flag, ...values],
              [`${flag}=x`, ...values.slice(1)],
            ];
      if (option.letter !== undefined)
        forms.push([`-${option.letter}`, ...(option.value === undefined ? [] : values)]);
      for (const form of forms)
        expect(parseCommandLine([...start, ...form])).toMatchObject({
          kind: 'run',
          invocation: {
            name,
            words: wordsOf(command),
            rest: [...wordsOf(command), ...form],
            options: list ? {} : { [option.name]: value },
            lists: list ? { [option.name]: list } : {},
          },
        });
    }
  },
);

test.each(runnable)('$name takes the arguments of the table, no fewer and no more', (command) => {
  const words = wordsOf(command);
  const start = command.name.split(' ');
  const needed = command.args.filter(({ isOptional }) => isOptional !== true).length;
  for (let count = 0; count <= words.length + 1; count += 1) {
    const given = [...words, 'extra'].slice(0, count);
    const isTaken = count >= needed && (count <= words.length || command.args.at(-1)?.isRepeatable === true);
    expect(parseCommandLine([...start, ...given]).kind).toBe(isTaken ? 'run' : 'mistake');
  }
});

test('repeatable options keep every value in order, others the last', () => {
  const line = ['keys', 'create', '--origin', 'a', '--name', 'x', '--origin=b', '--name', 'y'];
  expect(parseCommandLine(line)).toMatchObject({
    invocation: { options: { name: 'y' }, lists: { origin: ['a', 'b'] } },
  });
});

test('an option with several values takes as many arguments', () => {
  expect(parseCommandLine(['localnet', '--account', '-', 'a.json', '--account=X', 'b.json'])).toMatchObject({
    invocation: { lists: { account: ['-', 'a.json', 'X', 'b.json'] } },
  });
  expect(parseCommandLine(['localnet', '--upgradeable-program', 'X', 'a.so'])).toMatchObject({
    kind: 'mistake',
    reason: expect.stringContaining(
      '--upgradeable-program expects 3 values: --upgradeable-program ADDRESS FILE AUTHORITY',
    ),
  });
});

test('negative amounts are arguments, and behind -- everything is', () => {
  expect(parseCommandLine(['credit', 'acme', '-0.50', '--note', 'n'])).toMatchObject({
    invocation: { words: ['acme', '-0.50'], options: { note: 'n' } },
  });
  expect(parseCommandLine(['keys', 'revoke', '--', '--json'])).toMatchObject({
    invocation: { words: ['--json'], options: {} },
  });
});

test('a value that begins with a dash is given behind =', () => {
  expect(parseCommandLine(['keys', 'create', '--name=-x'])).toMatchObject({
    invocation: { options: { name: '-x' } },
  });
});

test.each([
  [['keys'], 'keys: expected a subcommand: create, list, update, rotate, revoke (see: keyslot help keys)'],
  [
    ['keys', '--json'],
    'keys: expected a subcommand: create, list, update, rotate, revoke (see: keyslot help keys)',
  ],
  [['keys', 'crate'], 'keys: unknown subcommand "crate"; did you mean create? (see: keyslot help keys)'],
  [['srve'], 'unknown command "srve"; did you mean serve? (see: keyslot help)'],
  [['wallet-use'], 'unknown command "wallet-use"; did you mean wallet-use-limit? (see: keyslot help)'],
  [['fly'], 'unknown command "fly" (see: keyslot help)'],
  [['--json', 'keys', 'list'], 'expected a command before the option --json (see: keyslot help)'],
  [['nodes', '--jsno'], 'nodes: unknown option --jsno; did you mean --json? (see: keyslot nodes --help)'],
  [['nodes', '--fly=1'], 'nodes: unknown option --fly (see: keyslot nodes --help)'],
  [['nodes', '-x'], 'nodes: unknown option -x (see: keyslot nodes --help)'],
  [['nodes', '--json=1'], 'nodes: --json takes no value, got "1" (see: keyslot nodes --help)'],
  [['nodes', '--config'], 'nodes: --config expects a value: --config FILE (see: keyslot nodes --help)'],
  [
    ['nodes', '--config', '--json'],
    'nodes: --config expects a value, got --json; a value that begins with a dash is given as --config=--json (see: keyslot nodes --help)',
  ],
  [
    ['plans', 'assign'],
    'plans assign: missing ACCOUNT; usage: keyslot plans assign ACCOUNT [PLAN] (see: keyslot plans assign --help)',
  ],
  [['nodes', 'list'], 'nodes: unexpected argument "list"; usage: keyslot nodes (see: keyslot nodes --help)'],
])('%j is a mistake that is explained', (args, reason) => {
  expect(parseCommandLine(args)).toEqual({ kind: 'mistake', reason });
});

test.each([['version'], ['--version'], ['-v']])('%s asks for the version', (word) => {
  expect(parseCommandLine([word])).toEqual({ kind: 'version' });
});
