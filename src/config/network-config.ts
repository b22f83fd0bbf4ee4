import type { Config } from '../../generated/config.ts';

/** The part of the configuration that names one network: its calls, meters and nodes are kept apart by it. */
export type NetworkConfig = Config['networks'][number];
