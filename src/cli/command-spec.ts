/** An argument of a command: a word without dashes. */
export type ArgumentSpec = {
  /** As help shows it, in capitals. */
  readonly name: string;
  readonly summary: string;
  /** It may be left out. Only the last arguments of a command can be. */
  readonly isOptional?: true;
  /** Every text that it can be, offered by completion. */
  readonly values?: readonly string[];
};

/** An option of a command. */
export type OptionSpec = {
  /** Without the dashes. */
  readonly name: string;
  /** The name of its value as help shows it, in capitals; absent: the option takes no value. */
  readonly value?: string;
  readonly summary: string;
  /** How many values it takes, which `value` names with spaces between; absent: one. Such an option is repeatable. */
  readonly valueCount?: 2 | 3;
  /** A letter that stands for it behind one dash. */
  readonly letter?: string;
  /** The value that holds when the option is not given, as help shows it. */
  readonly fallback?: string;
  /** It may be given several times. */
  readonly isRepeatable?: true;
  /** Every text that its value can be, offered by completion. */
  readonly values?: readonly string[];
  /** Its value is the path of a file or of a directory. */
  readonly path?: 'file' | 'directory';
  /** It sets a setting of the server, which help lists with its environment variable. */
  readonly isSetting?: true;
};

/** The headings under which the short help lists commands, in order. */
export const COMMAND_GROUPS = [
  'Servers',
  'Accounts',
  'API keys, plans and usage',
  'Members and sign-in',
  'Wallet service',
  'Billing',
  'Key storage',
  'Backups',
  'This command line',
] as const;

/** A command. */
export type CommandSpec = {
  /** One word, or a group and a subcommand: `keys create`. */
  readonly name: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** One line, without a full stop. */
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly details?: readonly string[];
  readonly args: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Options that other programs have and this one refuses, with their dashes, and why. */
  readonly refused?: Readonly<Record<string, { readonly cannot: string }>>;
  readonly examples: readonly string[];
};
