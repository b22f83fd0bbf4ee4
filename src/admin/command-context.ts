import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Clock } from '../base/clock.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** What a command needs to run with or without a server. */
export type CommandContext = {
  readonly store: StoreOptions;
  /** The setting `installation_key_file`. */
  readonly installationKeyFile: string | undefined;
  /** The file that heads of the audit log are appended to. */
  readonly headsFile: string;
  /** The base URL of the server by its settings, without a trailing slash; undefined where they do not name a port. */
  readonly baseUrl: string | undefined;
  readonly hsm: Config['hsm'];
  /** How a signer is started, where not as a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives short notes for the user, such as what is being waited for. */
  readonly onNote: (note: string) => void;
};
