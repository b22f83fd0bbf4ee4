import { afterEach } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { startNode } from '../../support/node-process.ts';
import { contractCommand } from '../../../src/devkit/contract/contract-command.ts';

export const RUN_DEADLINE_MS = 300_000;

type Running = { readonly stop: () => Promise<void> };

/** Runs `keyslot contract` to its end; what a test has put into `running` is stopped after it, whatever becomes of it. */
export function useContractCommand() {
  const running: Running[] = [];
  afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())));

  /** In this process, where the cases and their validators are loaded already. */
  const contract = async (...args: readonly string[]) => {
    const out: string[] = [];
    const error: string[] = [];
    const code = await contractCommand(args, {
      env: {},
      writeOut: (text) => void out.push(text),
      writeError: (text) => void error.push(text),
    });
    return { ended: `exit code ${code}`, stdout: out.join(''), stderr: error.join('') };
  };

  /** As a user does, in processes of its own. */
  const contractAlone = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = startNode(['src/main.ts', 'contract', ...args], env);
    running.push(child);
    const ended = await eventually('the command has ended', child.ended, { timeoutMs: RUN_DEADLINE_MS });
    return { ended, stdout: child.stdout(), stderr: child.stderr() };
  };
  return { contract, contractAlone, running };
}
