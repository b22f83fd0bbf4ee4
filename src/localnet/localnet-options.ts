import { parseArgs } from 'node:util';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { LOCALNET_OPTION_NAMES } from '../config/localnet-settings.ts';
import { serviceError } from '../base/service-error.ts';

/** The options of the embedded ledger. */
export type LocalnetOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly rpcPort: number;
  readonly slotMs: number;
  readonly finalitySlots: number;
  readonly lamportsPerByte: number;
  readonly historySlots: number;
  readonly historyTransactions: number;
  /** Announce as JSON instead of text. */
  readonly json: boolean;
};

type OptionValues = Readonly<Record<string, string | boolean | undefined>>;
type Bounds = { readonly default: number; readonly minimum: number; readonly maximum: number };

/** A validator's own port, and the settings of the embedded ledger as spec/config.yaml bounds them. */
const NUMBERS = {
  'rpc-port': { ...CONFIG_INTEGERS['http.port'], default: 8899 },
  'slot-ms': CONFIG_INTEGERS['localnet.slot_ms'],
  'finality-slots': CONFIG_INTEGERS['localnet.finality_slots'],
  'lamports-per-byte': CONFIG_INTEGERS['localnet.lamports_per_byte'],
  'history-slots': CONFIG_INTEGERS['localnet.history_slots'],
  'history-transactions': CONFIG_INTEGERS['localnet.history_transactions'],
} as const satisfies Readonly<Record<string, Bounds>>;

/** Parses the arguments of `keyslot localnet`. @throws ServiceError invalidConfig. */
export function parseLocalnetArguments(args: readonly string[]): LocalnetOptions {
  const text = { type: 'string' } as const;
  const options = {
    ...Object.fromEntries(['rpc-port', 'host', ...LOCALNET_OPTION_NAMES].map((name) => [name, text])),
    json: { type: 'boolean' },
  } as const;
  try {
    return readLocalnetOptions(parseArgs({ args: [...args], options, strict: true }).values);
  } catch (error) {
    if (error instanceof TypeError)
      throw serviceError('invalidConfig', { problems: `localnet: ${error.message}` }, error);
    throw error;
  }
}

/** Parses the options of `keyslot localnet` from the command line. @throws ServiceError invalidConfig. */
export function readLocalnetOptions(values: OptionValues): LocalnetOptions {
  const { host, json } = values;
  return {
    host: typeof host === 'string' ? host : '127.0.0.1',
    rpcPort: readNumber('rpc-port', values),
    slotMs: readNumber('slot-ms', values),
    finalitySlots: readNumber('finality-slots', values),
    lamportsPerByte: readNumber('lamports-per-byte', values),
    historySlots: readNumber('history-slots', values),
    historyTransactions: readNumber('history-transactions', values),
    json: json === true,
  };
}

function readNumber(name: keyof typeof NUMBERS, values: OptionValues): number {
  const { default: fallback, minimum, maximum } = NUMBERS[name];
  const text = values[name];
  if (text === undefined) return fallback;
  const number = Number(text);
  if (typeof text === 'string' && /^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
  throw serviceError('invalidConfig', {
    problems: `localnet: --${name} ${text} is not a whole number from ${minimum} to ${maximum}`,
  });
}
