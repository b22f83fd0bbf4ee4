import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { didYouMean } from './did-you-mean.ts';

/** The values of options by name without the dashes. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** The values of options that may be repeated, by name without the dashes. */
export type OptionLists = Readonly<Record<string, readonly string[] | undefined>>;

/** The words and options of a command. */
export type GivenArguments = {
  readonly words: readonly string[];
  readonly options: OptionValues;
  readonly lists: OptionLists;
};

/** An argument such as `-25` is an amount, not an option. */
const AMOUNT = /^-[\d.]/;

/**
 * Reads what stands behind the name of a command. Options take their value as `--name VALUE` or `--name=VALUE`; of one that is
 * not repeatable the last one counts; behind `--` there are arguments only.
 *
 * @returns what was read, or the reason why it cannot be.
 */
export function readArguments(command: CommandSpec, args: readonly string[]): GivenArguments | string {
  const words: string[] = [];
  const options: Record<string, string | boolean> = {};
  const lists: Record<string, readonly string[]> = {};
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-' || AMOUNT.test(arg)) {
      words.push(arg);
      continue;
    }
    const read = readOption(command, arg, args[at + 1]);
    if (typeof read === 'string') return read;
    const { option, value, isNextTaken } = read;
    const { name, isRepeatable } = option;
    if (isRepeatable) lists[name] = [...(lists[name] ?? []), String(value)];
    else options[name] = value;
    if (isNextTaken) at += 1;
  }
  return wordProblem(command, words) ?? { words, options, lists };
}

/** One option with its value, which may be the next argument. */
function readOption(
  { options }: CommandSpec,
  arg: string,
  next: string | undefined,
): { readonly option: OptionSpec; readonly value: string | boolean; readonly isNextTaken: boolean } | string {
  const equals = arg.indexOf('=');
  const flag = equals < 0 ? arg : arg.slice(0, equals);
  const inline = equals < 0 ? undefined : arg.slice(equals + 1);
  const option = options.find(({ name }) => `--${name}` === flag);
  if (option === undefined) {
    const known = options.map(({ name }) => `--${name}`);
    return `unknown option ${flag}${didYouMean(flag, known) ?? ''}`;
  }
  if (option.value === undefined)
    return inline === undefined
      ? { option, value: true, isNextTaken: false }
      : `${flag} takes no value, got "${inline}"`;
  if (inline !== undefined) return { option, value: inline, isNextTaken: false };
  if (next === undefined) return `${flag} expects a value: ${flag} ${option.value}`;
  if (next.startsWith('-') && next.length > 1)
    return `${flag} expects a value, got ${next}; a value that begins with a dash is given as ${flag}=${next}`;
  return { option, value: next, isNextTaken: true };
}

function wordProblem({ name, args }: CommandSpec, words: readonly string[]): string | undefined {
  const needed = args.filter(({ isOptional }) => isOptional !== true);
  const usage = `usage: keyslot ${name}${args.map(printArgument).join('')}`;
  const missing = needed.slice(words.length).map((one) => one.name);
  if (missing.length > 0) return `missing ${missing.join(' ')}; ${usage}`;
  const extra = words[args.length];
  return extra === undefined ? undefined : `unexpected argument "${extra}"; ${usage}`;
}

/** An argument as a usage line shows it, with a space before it. */
export function printArgument({ name, isOptional }: CommandSpec['args'][number]): string {
  return isOptional ? ` [${name}]` : ` ${name}`;
}
