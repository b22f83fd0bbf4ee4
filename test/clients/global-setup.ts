import type { TestProject } from 'vitest/node';
import { startKeyslot } from '../support/keyslot.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** JSON-RPC address of the server that all client suites share, with its API key. */
    readonly rpcUrl: string;
  }
}

/** Starts one server for all client suites of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startKeyslot();
  project.provide('rpcUrl', server.rpcUrl);
  return server.stop;
}
