import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { didYouMean } from '../core/did-you-mean.ts';

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
 * Reads the words after the name of a command. Options take their value as `--name VALUE` or `--name=VALUE`; of one that is not repeatable
 * the last value counts; after `--` there are only arguments.
 *
 * @returns the words and options, or the reason why they are invalid.
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
    const read = readOption(command, arg, args.slice(at + 1));
    if (typeof read === 'string') return read;
    const { option, values, taken } = read;
    const { name, isRepeatable } = option;
    if (isRepeatable) lists[name] = [...(lists[name] ?? []), ...values];
    else options[name] = values[0] ?? true;
    at += taken;
  }
  return wordProblem(command, words) ?? { words, options, lists };
}

/** One option with its values; `taken`: the number of values from the next arguments. */
function readOption(
  { options, refused }: CommandSpec,
  arg: string,
  next: readonly string[],
): { readonly option: OptionSpec; readonly values: readonly string[]; readonly taken: number } | string {
  const equals = arg.indexOf('=');
  const flag = equals < 0 ? arg : arg.slice(0, equals);
  const inline = equals < 0 ? undefined : arg.slice(equals + 1);
  const option = options.find(({ name, letter }) => `--${name}` === flag || `-${letter}` === flag);
  if (option === undefined) {
    const known = options.map(({ name }) => `--${name}`);
    const reason = refused?.[flag]?.cannot;
    return reason === undefined
      ? `unknown option ${flag}${didYouMean(flag, known) ?? ''}`
      : `${flag} is not supported: ${reason}`;
  }
  if (option.value === undefined)
    return inline === undefined
      ? { option, values: [], taken: 0 }
      : `${flag} takes no value, got "${inline}"`;
  const taken = (option.valueCount ?? 1) - (inline === undefined ? 0 : 1);
  const values = next.slice(0, taken);
  if (values.length < taken)
    return `${flag} expects ${taken === 1 ? 'a value' : `${option.valueCount} values`}: ${flag} ${option.value}`;
  const odd = values.find((value) => value.startsWith('-') && value.length > 1);
  if (odd !== undefined)
    return `${flag} expects a value, got ${odd}; a value that begins with a dash is given as ${flag}=${odd}`;
  return { option, values: inline === undefined ? values : [inline, ...values], taken };
}

function wordProblem({ name, args }: CommandSpec, words: readonly string[]): string | undefined {
  const needed = args.filter(({ isOptional }) => isOptional !== true);
  const usage = `usage: keyslot ${name}${args.map(printArgument).join('')}`;
  const missing = needed.slice(words.length).map((one) => one.name);
  if (missing.length > 0) return `missing ${missing.join(' ')}; ${usage}`;
  const extra = args.at(-1)?.isRepeatable ? undefined : words[args.length];
  return extra === undefined ? undefined : `unexpected argument "${extra}"; ${usage}`;
}

/** An argument as a usage line shows it, with a space before it. */
export function printArgument({ name, isOptional, isRepeatable }: CommandSpec['args'][number]): string {
  const shown = isRepeatable ? `${name}…` : name;
  return isOptional ? ` [${shown}]` : ` ${shown}`;
}

/** The options that have a value. */
export function textsOf(options: OptionValues): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => typeof value === 'string'),
  ) as Readonly<Record<string, string>>;
}
