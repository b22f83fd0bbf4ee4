import type { CutProxy } from './cut-proxy.ts';

/** A service that all gateways share. */
export type SharedService = {
  /** The way to it of each gateway, in their order; empty where they have none. */
  readonly proxies: readonly CutProxy[];
  /** Lets it lose what it would lose with its process. */
  readonly lose: () => Promise<void>;
};

export type SharedServices = { readonly postgres: SharedService; readonly redis: SharedService };
