import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { SignerLauncher } from '../../signer/signer.ts';
import type { StoreOptions } from '../../store/open-store.ts';

/** The context of a command, with or without a running server. */
export type CommandContext = {
  readonly store: StoreOptions;
  /** The setting `installation_key_file`. */
  readonly installationKeyFile: string | undefined;
  /** The file that audit heads are appended to. */
  readonly headsFile: string;
  /** The base URL of the server by its settings, without a trailing slash; undefined where they do not name a port. */
  readonly baseUrl: string | undefined;
  readonly hsm: Config['hsm'];
  /** Starts a signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives short notes for the user, such as what is being waited for. */
  readonly onNote: (note: string) => void;
};
