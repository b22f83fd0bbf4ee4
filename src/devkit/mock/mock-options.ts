import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { serviceError } from '../../core/service-error.ts';

/** The options of the mock ledger. */
export type MockOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Port of the wallet service and the account service; 0: any free port. */
  readonly walletsPort: number;
  /** Port of the stream service; 0: any free port. */
  readonly grpcPort: number;
  /** Announce as JSON instead of text. */
  readonly json: boolean;
};

const DEFAULT_PORT = 8899;
const DEFAULT_GRPC_PORT = CONFIG_INTEGERS['grpc.port'].default;
const MAX_PORT = CONFIG_INTEGERS['http.port'].maximum;

type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** Parses the options of `keyslot mock` from the command line. @throws ServiceError invalidConfig. */
export function readMockOptions({ host, port, json, ...options }: OptionValues): MockOptions {
  const ledgerPort = readPort('port', port, DEFAULT_PORT);
  return {
    host: typeof host === 'string' ? host : '127.0.0.1',
    port: ledgerPort,
    walletsPort: readPort('wallets-port', options['wallets-port'], nextPort(ledgerPort)),
    grpcPort: readPort('grpc-port', options['grpc-port'], ledgerPort === 0 ? 0 : DEFAULT_GRPC_PORT),
    json: json === true,
  };
}

/** The port after the ledger's; any free one if that is 0. */
function nextPort(port: number): number {
  return port === 0 || port === MAX_PORT ? 0 : port + 1;
}

function readPort(name: string, text: string | boolean | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const port = Number(text);
  if (typeof text === 'string' && /^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw serviceError('invalidConfig', {
    problems: `mock: --${name} ${text} is not a whole number from 0 to ${MAX_PORT}`,
  });
}
