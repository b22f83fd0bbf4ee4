import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../base/harden-process.ts';
import { serviceError } from '../base/service-error.ts';

/** The contract run. It belongs to the tests, whose code is never loaded here (docs/decisions/0013-contract-command.md). */
const PROGRAM = fileURLToPath(new URL('../../test/contract/main.ts', import.meta.url));
const EXIT_KILLED = 130;

/**
 * `keyslot contract`: runs the contract cases of the specification against any server, in a process of its own.
 *
 * @returns its exit code: 0 the server conforms, 1 it does not, 2 it could not be checked.
 * @throws ServiceError `invalidConfig` where the contract run is not installed.
 */
export async function contract(args: readonly string[]): Promise<number> {
  if (!existsSync(PROGRAM))
    throw serviceError('invalidConfig', {
      problems: 'contract: this command is available in a checkout of Keyslot only',
    });
  const child = spawn(process.execPath, [...childOptions([]), PROGRAM, ...args], { stdio: 'inherit' });
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', passOn).on('SIGINT', passOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', passOn).off('SIGINT', passOn);
  return code ?? EXIT_KILLED;
}
