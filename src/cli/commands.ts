import { parseArgs } from 'node:util';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import { LOCALNET_OPTION_NAMES } from '../config/localnet-settings.ts';
import { type AccountCommand, isAccountCommand, parseAccountArguments } from './account-commands.ts';
import { type HsmCommand, parseHsmArguments } from './hsm-options.ts';
import { type KeysCommand, parseKeysArguments } from './keys-options.ts';
import { type NodesCommand, parseNodesArguments } from './nodes-options.ts';
import { parsePlansArguments, type PlansCommand } from './plans-options.ts';
import { parseSignerArguments, type SignerCommand } from './signer-options.ts';
import { parseUsageArguments, type UsageCommand } from './usage-options.ts';

/** Options by name without the dashes. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** A parsed command line, or why it is none. */
export type Command =
  | { readonly kind: 'serve'; readonly options: OptionValues }
  | { readonly kind: 'localnet'; readonly options: OptionValues }
  | KeysCommand
  | PlansCommand
  | UsageCommand
  | NodesCommand
  | HsmCommand
  | SignerCommand
  | AccountCommand
  | { readonly kind: 'mock'; readonly options: OptionValues }
  | { readonly kind: 'contract'; readonly args: readonly string[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly reason: string };

type OptionTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/** `serve` takes every setting that the configuration gives a command-line option. */
const SERVE_OPTIONS: OptionTable = {
  config: { type: 'string' },
  json: { type: 'boolean' },
  ...Object.fromEntries(
    CONFIG_SETTINGS.flatMap(({ cli, type }) =>
      cli === undefined
        ? []
        : [[cli.slice(2), { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) }]],
    ),
  ),
};

const LOCALNET_OPTIONS: OptionTable = {
  'rpc-port': { type: 'string' },
  host: { type: 'string' },
  ...Object.fromEntries(LOCALNET_OPTION_NAMES.map((name) => [name, { type: 'string' as const }])),
  json: { type: 'boolean' },
};

const MOCK_OPTIONS: OptionTable = {
  port: { type: 'string' },
  'wallets-port': { type: 'string' },
  'grpc-port': { type: 'string' },
  host: { type: 'string' },
  json: { type: 'boolean' },
};

/** Reads the arguments after `keyslot`. No command at all asks for help. */
export function parseCommand(args: readonly string[]): Command {
  const [name = 'help', ...rest] = args;
  switch (name) {
    case 'help':
    case '--help':
    case '-h':
      return { kind: 'help' };
    case 'version':
    case '--version':
    case '-v':
      return { kind: 'version' };
    case 'serve':
      return readOptions('serve', rest, SERVE_OPTIONS);
    case 'localnet':
      return readOptions('localnet', rest, LOCALNET_OPTIONS);
    case 'keys':
      return orMistake('keys', rest, () => parseKeysArguments(rest));
    case 'plans':
      return orMistake('plans', rest, () => parsePlansArguments(rest));
    case 'usage':
      return orMistake('usage', rest, () => parseUsageArguments(rest));
    case 'nodes':
      return orMistake('nodes', rest, () => parseNodesArguments(rest));
    case 'hsm':
      return orMistake('hsm', rest, () => parseHsmArguments(rest));
    case 'signer':
      return orMistake('signer', rest, () => parseSignerArguments(rest));
    case 'mock':
      return readOptions('mock', rest, MOCK_OPTIONS);
    case 'contract':
      return isAskingForHelp(rest) ? { kind: 'help' } : { kind: 'contract', args: rest };
    default:
      if (isAccountCommand(name)) return orMistake(name, rest, () => parseAccountArguments(args));
      return { kind: 'mistake', reason: `there is no command ${JSON.stringify(name)}` };
  }
}

function readOptions(
  kind: 'serve' | 'localnet' | 'mock',
  args: readonly string[],
  table: OptionTable,
): Command {
  return orMistake(kind, args, () => {
    const { values } = parseArgs({ args: [...args], options: { ...table }, strict: true });
    return { kind, options: values as OptionValues };
  });
}

function orMistake(name: string, args: readonly string[], read: () => Command): Command {
  if (isAskingForHelp(args)) return { kind: 'help' };
  try {
    return read();
  } catch (error) {
    return { kind: 'mistake', reason: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const isAskingForHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');
