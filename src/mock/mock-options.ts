import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { serviceError } from '../service-error.ts';

/** How the mock ledger is started. */
export type MockOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Announce as JSON instead of text. */
  readonly json: boolean;
};

const DEFAULT_PORT = 8899;
const MAX_PORT = CONFIG_INTEGERS['http.port'].maximum;

type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** Reads the option values of `keyslot mock`, as the command line gives them. @throws ServiceError invalidConfig. */
export function readMockOptions({ host, port, json }: OptionValues): MockOptions {
  return { host: typeof host === 'string' ? host : '127.0.0.1', port: readPort(port), json: json === true };
}

function readPort(text: string | boolean | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (typeof text === 'string' && /^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw serviceError('invalidConfig', {
    problems: `mock: --port ${text} is not a whole number from 0 to ${MAX_PORT}`,
  });
}
