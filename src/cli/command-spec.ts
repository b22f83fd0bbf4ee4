/** An argument of a command: a word without dashes. */
export type ArgumentSpec = {
  /** Its name in help, in capitals. */
  readonly name: string;
  readonly summary: string;
  /** True if it may be omitted. Only the last arguments of a command can be optional. */
  readonly isOptional?: true;
  /** True if it may be given several times. Only the last argument of a command can be. */
  readonly isRepeatable?: true;
  /** All allowed values, offered by completion. */
  readonly values?: readonly string[];
};

/** An option of a command. */
export type OptionSpec = {
  /** Without the dashes. */
  readonly name: string;
  /** The name of its value in help, in capitals; absent: the option takes no value. */
  readonly value?: string;
  readonly summary: string;
  /** The number of its values, which `value` names separated by spaces; absent: one. Such an option is repeatable. */
  readonly valueCount?: 2 | 3;
  /** Its one-letter form, after a single dash. */
  readonly letter?: string;
  /** The default value, as help shows it. */
  readonly fallback?: string;
  /** True if it may be given several times. */
  readonly isRepeatable?: true;
  /** All allowed values, offered by completion. */
  readonly values?: readonly string[];
  /** Its value is the path of a file or of a directory. */
  readonly path?: 'file' | 'directory';
  /** True for a setting of the server, which help lists with its environment variable. */
  readonly isSetting?: true;
};

/** The headings of the short help, in order. */
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
  /** Options of other programs that this one refuses, with their dashes, and the reason. */
  readonly refused?: Readonly<Record<string, { readonly cannot: string }>>;
  readonly examples: readonly string[];
};
