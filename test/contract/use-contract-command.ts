import { afterEach } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startNode } from '../support/node-process.ts';

export const RUN_DEADLINE_MS = 120_000;

type Running = { readonly stop: () => Promise<void> };

/** Runs `keyslot contract` to its end; what a test has put into `running` is stopped after it, whatever becomes of it. */
export function useContractCommand() {
  const running: Running[] = [];
  afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())));
  const contract = async (...args: readonly string[]) => {
    const child = startNode(['src/main.ts', 'contract', ...args], {});
    running.push(child);
    const ended = await eventually('the command has ended', child.ended, { timeoutMs: RUN_DEADLINE_MS });
    return { ended, stdout: child.stdout(), stderr: child.stderr() };
  };
  return { contract, running };
}
