import { CONFIG_SETTINGS, type Config } from '../../../generated/config.ts';

/** The settings of the embedded ledger with their command-line option names. */
const SETTINGS = CONFIG_SETTINGS.flatMap(({ path: [section, name], cli, default: usual }) =>
  section === 'localnet' && cli !== undefined
    ? [{ option: cli.slice(2), name: name as keyof Config['localnet'], usual: String(usual) }]
    : [],
);

/** The command-line options of the embedded ledger's settings, without the dashes. */
export const LOCALNET_OPTION_NAMES: readonly string[] = SETTINGS.map(({ option }) => option);

/** Returns the arguments that start an embedded ledger with these settings; default values are left out, as if not given. */
export const localnetArguments = (settings: Config['localnet']): readonly string[] =>
  SETTINGS.flatMap(({ option, name, usual }) =>
    String(settings[name]) === usual ? [] : [`--${option}`, String(settings[name])],
  );

/** The reason why settings of `tower` are refused under `alpenglow`. */
export const WITHOUT_TOWER = 'under alpenglow a confirmed block is final, and blocks hold no votes';

/** Returns the first setting that needs `tower`. Where the consensus is not set, that setting selects it. */
export function towerSetting({
  finality_slots: finalitySlots,
  votes,
}: Pick<Config['localnet'], 'finality_slots' | 'votes'>): 'finality_slots' | 'votes' | undefined {
  if (finalitySlots !== undefined) return 'finality_slots';
  return votes === true ? 'votes' : undefined;
}
