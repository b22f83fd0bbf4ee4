import type { ArgumentSpec, OptionSpec } from '../command-spec.ts';
import { ALL_COMMANDS, commandsOf, firstWords, subcommandsOf } from '../find-command.ts';

/** A text that completion can offer, with its summary for shells that show one. */
export type Offer = { readonly text: string; readonly summary: string };

/** A position on the command line: the words of a command so far, and what can follow them. */
export type CompletionContext = {
  /** `''`, `keys` or `keys create`. */
  readonly path: string;
  /** Subcommands and fixed arguments. */
  readonly words: readonly Offer[];
  readonly options: readonly OptionSpec[];
};

/** Every position, the first words of all commands first. */
export function completionContexts(): readonly CompletionContext[] {
  const groups = firstWords().filter((word) => subcommandsOf(word).length > 0);
  return [
    { path: '', words: firstWords().map((text) => ({ text, summary: summaryOf(text) })), options: [] },
    ...groups.map((path) => ({ path, words: subcommandOffers(path), options: [] })),
    ...ALL_COMMANDS.map(({ name, args, options }) => ({
      path: name,
      words: args.flatMap(argumentOffers),
      options,
    })),
  ];
}

/** The options at all positions whose value is a fixed text or a path, with their position. */
export function valueOptions(): readonly (OptionSpec & { readonly at: string })[] {
  return completionContexts().flatMap(({ path: at, options }) =>
    options.filter(({ value }) => value !== undefined).map((option) => ({ ...option, at })),
  );
}

function summaryOf(first: string): string {
  const own = ALL_COMMANDS.find(({ name }) => name === first);
  return own?.summary ?? subcommandsOf(first).join(', ');
}

function subcommandOffers(group: string): readonly Offer[] {
  return commandsOf(group).map(({ name, summary }) => ({ text: name.slice(group.length + 1), summary }));
}

function argumentOffers({ values = [], summary }: ArgumentSpec): readonly Offer[] {
  return values.map((text) => ({ text, summary }));
}
