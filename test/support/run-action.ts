import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { actionOf, type ServerCommandName } from '../../src/cli/run-on-server.ts';
import { ServiceError } from '../../src/core/service-error.ts';
import type { Ask } from '../../src/operate/admin/run-command.ts';

/** Reads a command line of a command that runs on a server. */
export function readAction(args: readonly string[], nowMs = Date.now()) {
  const line = parseCommandLine(args);
  if (line.kind !== 'run') throw new Error(line.kind === 'mistake' ? line.reason : 'no command');
  const { invocation } = line;
  return actionOf(invocation.name as ServerCommandName, { ...invocation, nowMs });
}

/** Runs such a command on whatever answers its requests; its result as `--json` prints it. */
export async function runAction(
  args: readonly string[],
  answer: (request: unknown) => Promise<unknown>,
  nowMs?: number,
): Promise<Readonly<Record<string, unknown>>> {
  const action = readAction(args, nowMs);
  const ask = async (request: unknown): Promise<unknown> => {
    const sent: unknown = JSON.parse(JSON.stringify(request));
    return JSON.parse(JSON.stringify(await answer(sent)));
  };
  try {
    const result = await action.toResult(await ask(action.request), ask as Ask);
    return JSON.parse(JSON.stringify(result));
  } catch (error) {
    throw error instanceof ServiceError && action.toMistake ? action.toMistake(error) : error;
  }
}
