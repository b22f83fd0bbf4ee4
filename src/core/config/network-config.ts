import type { Config } from '../../../generated/config.ts';

/** The configuration of one network. Calls, meters and nodes are kept separate per network. */
export type NetworkConfig = Config['networks'][number];
