import { CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';
import { type CommandSpec, type OptionSpec, COMMAND_GROUPS } from './command-spec.ts';
import { printArgument } from './read-arguments.ts';
import { fallbackOf } from './setting-options.ts';
import { definitionList, HELP_WIDTH, wrapText } from './wrap-text.ts';
import { ALL_COMMANDS, commandsOf } from './find-command.ts';

const HELP_OPTION = ['-h, --help', 'Show this page'] as const;
const INDENT = 6;

/** The help on one command: usage, arguments, options and examples. */
export function helpPage({ name, summary, details = [], args, options, examples }: CommandSpec): string {
  const settings = options.filter(({ isSetting }) => isSetting);
  const own = options.filter(({ isSetting }) => isSetting !== true);
  const paragraphs = [`${summary}.`, ...details].map((text) => wrapText(text, HELP_WIDTH).join('\n'));
  const sections = [
    `Usage: keyslot ${name}${args.map(printArgument).join('')}${options.length === 0 ? '' : ' [OPTIONS]'}\n`,
    `${paragraphs.join('\n')}\n`,
    args.length === 0 ? '' : `Arguments:\n${definitionList(args.map((arg) => [arg.name, arg.summary]))}`,
    `Options:\n${definitionList([...own.map(optionRow), HELP_OPTION])}`,
    settings.length === 0 ? '' : settingList(),
    `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}`,
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function optionRow(option: OptionSpec): readonly [string, string] {
  const { name, letter, value, summary, fallback, isRepeatable } = option;
  const notes = [
    ...(isRepeatable ? ['repeatable'] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return [
    `${letter === undefined ? '' : `-${letter}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    `${summary}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`,
  ];
}

/** The settings of spec/config.yaml that have an environment variable or an option. */
function settingList(): string {
  const settings = CONFIG_SETTINGS.filter(({ env, cli }) => env !== undefined || cli !== undefined);
  const head = wrapText(
    'Settings, with environment variable and option. An option overrides the variable, and the variable the file of --config.',
    HELP_WIDTH,
  ).join('\n');
  return `${head}\n${settings.map(settingEntry).join('')}`;
}

function settingEntry(setting: ConfigSetting): string {
  const { env, cli, description, path } = setting;
  const names = [env, cli].filter((name) => name !== undefined).join(', ');
  const { fallback } = fallbackOf(setting);
  const text = description === '' ? path.join('.') : description;
  const lines = wrapText(text, HELP_WIDTH - INDENT).map((line) => `${' '.repeat(INDENT)}${line}\n`);
  return `  ${names}${fallback === undefined ? '' : ` (default: ${fallback})`}\n${lines.join('')}`;
}

/** Help for all commands, one line each. */
export function shortHelp(): string {
  const width = Math.max(...ALL_COMMANDS.map(({ name }) => name.length));
  const groups = COMMAND_GROUPS.map((group) => {
    const commands = ALL_COMMANDS.filter((command) => command.group === group);
    return `${group}:\n${definitionList(commands.map(({ name, summary }) => [name.padEnd(width), summary]))}`;
  });
  return `Keyslot: a self-hosted Solana provider

Usage: keyslot COMMAND [ARGUMENTS] [OPTIONS]

${groups.join('\n')}
keyslot help COMMAND explains a command with its options and examples.
`;
}

/** Help for a group of commands, such as `keys`, one line each. */
export function groupHelp(group: string): string {
  const commands = commandsOf(group);
  return `Usage: keyslot ${group} SUBCOMMAND [ARGUMENTS] [OPTIONS]

${definitionList(commands.map(({ name, summary }) => [name, summary]))}
keyslot help ${group} SUBCOMMAND explains a command with its options and examples.
`;
}
