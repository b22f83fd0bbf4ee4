import { type CommandName, commandsOf, findCommand, firstWords, subcommandsOf } from './find-command.ts';
import { type GivenArguments, readArguments } from './read-arguments.ts';
import { didYouMean } from '../core/did-you-mean.ts';

/** The name of a command that does more than print help or the version. */
export type RunnableName = Exclude<CommandName, 'help' | 'version'>;

/** A command as it was given. */
export type Invocation = GivenArguments & {
  readonly name: RunnableName;
  /** The unparsed arguments after its name. */
  readonly rest: readonly string[];
};

/** A parsed command line, or the reason why it cannot be parsed. */
export type CommandLine =
  | { readonly kind: 'run'; readonly invocation: Invocation }
  /** `topic`: a command or a group; undefined: all commands. */
  | { readonly kind: 'help'; readonly topic: string | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly reason: string };

/** Reads the arguments after `keyslot`; without any, asks for help. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first, ...rest] = args;
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', topic: undefined };
  if (first === '--version' || first === '-v') return { kind: 'version' };
  if (first.startsWith('-')) return mistake(`expected a command before the option ${first}`, 'keyslot help');
  const found = findCommand(args);
  if (found === undefined) return withoutCommand(first, rest);
  const { command, wordCount } = found;
  const { name } = command;
  const others = args.slice(wordCount);
  if (name === 'help') return parseHelp(others);
  if (isAskingForHelp(others)) return { kind: 'help', topic: name };
  if (name === 'version') return { kind: 'version' };
  const given = readArguments(command, others);
  if (typeof given === 'string') return mistake(`${name}: ${given}`, `keyslot ${name} --help`);
  return { kind: 'run', invocation: { name, rest: others, ...given } };
}

function parseHelp(words: readonly string[]): CommandLine {
  const topic = words.filter((word) => !word.startsWith('-'));
  const [first] = topic;
  if (first === undefined) return { kind: 'help', topic: undefined };
  const isGroup = topic.length === 1 && commandsOf(first).length > 0;
  if (isGroup || findCommand(topic)?.wordCount === topic.length)
    return { kind: 'help', topic: topic.join(' ') };
  return withoutCommand(first, topic.slice(1));
}

/** Help on a group, or the reason why the words name no command. */
function withoutCommand(first: string, [second, ...others]: readonly string[]): CommandLine {
  const known = subcommandsOf(first);
  if (known.length === 0)
    return mistake(`unknown command "${first}"${didYouMean(first, firstWords()) ?? ''}`, 'keyslot help');
  if (isAskingForHelp([second ?? '', ...others])) return { kind: 'help', topic: first };
  const wanted = `expected a subcommand: ${known.join(', ')}`;
  if (second === undefined || second.startsWith('-'))
    return mistake(`${first}: ${wanted}`, `keyslot help ${first}`);
  const meant = didYouMean(second, known) ?? `; ${wanted}`;
  return mistake(`${first}: unknown subcommand "${second}"${meant}`, `keyslot help ${first}`);
}

function mistake(reason: string, help: string): CommandLine {
  return { kind: 'mistake', reason: `${reason} (see: ${help})` };
}

function isAskingForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  return own.includes('--help') || own.includes('-h');
}
