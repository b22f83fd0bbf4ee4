import { CONFIG_SETTINGS, type Config } from '../../generated/config.ts';

/** The settings of the embedded ledger, each by the name of its command-line option. */
const SETTINGS = CONFIG_SETTINGS.flatMap(({ path: [section, name], cli }) =>
  section === 'localnet' && cli !== undefined
    ? [{ option: cli.slice(2), name: name as keyof Config['localnet'] }]
    : [],
);

/** The command-line options by which the embedded ledger takes its settings, without the dashes. */
export const LOCALNET_OPTION_NAMES: readonly string[] = SETTINGS.map(({ option }) => option);

/** The arguments that start an embedded ledger with these settings. */
export const localnetArguments = (settings: Config['localnet']): readonly string[] =>
  SETTINGS.flatMap(({ option, name }) => [`--${option}`, String(settings[name])]);
