import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';

/** What a server is started with. */
export type ServeStart = {
  readonly config: Config;
  /** The configuration file; undefined without one. */
  readonly file: string | undefined;
  /** Reads the configuration again. @throws ServiceError `invalidConfig`. */
  readonly load: () => Config;
  readonly log: Logger;
};
