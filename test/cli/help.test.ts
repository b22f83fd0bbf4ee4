import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import { ALL_COMMANDS, commandsOf, firstWords, subcommandsOf } from '../../src/cli/find-command.ts';
import { shortHelp } from '../../src/cli/help-page.ts';
import { definitionList, HELP_WIDTH } from '../../src/cli/wrap-text.ts';
import { useCommands } from './use-commands.ts';

const { run } = useCommands();

const names = ALL_COMMANDS.map(({ name }) => name);
const groups = firstWords().filter((word) => subcommandsOf(word).length > 0);

const isTooWide = (line: string): boolean => line.length > HELP_WIDTH;

async function printed(...args: readonly string[]): Promise<string> {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stderr]).toEqual(['exit code 0', '']);
  expect(stdout.split('\n').filter(isTooWide)).toEqual([]);
  return stdout;
}

test.each([[], ['help'], ['--help'], ['-h'], ['help', '--help']])(
  'keyslot %s %s lists every command on one line',
  async (...args) => {
    expect(await printed(...args)).toBe(shortHelp());
    for (const { name, summary } of ALL_COMMANDS)
      expect(shortHelp().split('\n')).toContainEqual(expect.stringMatching(lineOf(name, summary)));
  },
);

test.each(groups)('help on %s lists its subcommands', async (group) => {
  const page = await printed('help', group);
  expect(await printed(group, '--help')).toBe(page);
  for (const { name, summary } of commandsOf(group)) expect(page).toMatch(lineOf(name, summary));
});

test.each(ALL_COMMANDS)('$name has a page with its arguments, options and examples', async (command) => {
  const { name, summary, args, options, examples } = command;
  const page = await printed('help', ...name.split(' '));
  expect(await printed(...name.split(' '), '--help')).toBe(name === 'help' ? shortHelp() : page);
  expect(page).toContain(`Usage: keyslot ${name}`);
  expect(page).toContain(`${summary}.`);
  for (const one of args) expect(page).toMatch(new RegExp(`^ {2}${one.name} +\\S`, 'm'));
  for (const one of options) expect(page).toMatch(new RegExp(`^ {2}.*--${one.name}\\b`, 'm'));
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(page).toContain(`  ${example}\n`);
});

test('each command that acts on a data directory takes the configuration file that names it', () => {
  const acting = ALL_COMMANDS.filter(({ options }) => options.some(({ name }) => name === 'data-dir'));
  expect(acting.length).toBeGreaterThan(50);
  for (const { name, options } of acting)
    expect([name, options.map((option) => option.name)]).toEqual([name, expect.arrayContaining(['config'])]);
});

test('the page of serve has every setting with its variable and its option', async () => {
  const page = await printed('serve', '--help');
  for (const { env, cli } of CONFIG_SETTINGS)
    for (const name of [env, cli]) if (name !== undefined) expect(page).toMatch(new RegExp(`${name}\\b`));
});

test('the page of a command is asked for anywhere on its line, except behind --', async () => {
  expect(await printed('plans', 'set', 'gold', '--burst', '-h')).toContain('Usage: keyslot plans set NAME');
  expect((await run('completion', '--', '--help')).end).toBe('exit code 2');
});

test.each([
  [['help', 'fly'], 'unknown command "fly"'],
  [['help', 'keys', 'fly'], 'keys: unknown subcommand "fly"; expected a subcommand: create, list'],
  [['help', 'kyes'], 'did you mean keys?'],
])('%j ends with a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});

test('commands are named once, and a group is no command', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(groups.filter((group) => names.some((name) => name === group))).toEqual([]);
});

test('a list of terms wraps its texts in their column', () => {
  const long = 'word '.repeat(30).trim();
  const [first = '', second = ''] = definitionList([
    ['a', long],
    ['long-term', 'text'],
  ]).split('\n');
  expect([first.indexOf('word'), second.indexOf('word')]).toEqual([13, 13]);
  expect([first, second].filter(isTooWide)).toEqual([]);
});

function lineOf(name: string, summary: string): RegExp {
  const text = summary.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^ {2}${name} +${text}$`, 'm');
}

test('spec/README.md names the commands that take no configuration file', () => {
  const without = ALL_COMMANDS.filter(({ options }) => !options.some(({ name }) => name === 'config'));
  const text = readFileSync(new URL('../../spec/README.md', import.meta.url), 'utf8');
  const [, list = ''] = /\n- \*\*`--config`\*\*:[^.]*\.(.*?) have none\./s.exec(text) ?? [];
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(
    without.map(({ name }) => name).sort(),
  );
});
