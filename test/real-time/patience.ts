/** For what hangs. How long the gateway, the ledger and this process take on a busy machine is none of what is tested here. */
export const PATIENCE_MS = 300_000;
