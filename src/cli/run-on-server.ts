import { systemClock } from '../base/clock.ts';
import { askServer } from './ask-server.ts';
import { describeResult } from './describe-result.ts';
import type { GivenArguments } from './read-arguments.ts';
import { isList, runList } from './run-list.ts';
import { type ServerCommandName, serverRequest } from './server-request.ts';
import { withLinkFile } from './link-file.ts';
import type { Terminal } from '../base/terminal.ts';

/**
 * Runs a command on the running server of the data directory; where none runs, in its store.
 *
 * @returns the exit code: 1 for an audit log that is not intact, else 0.
 * @throws ServiceError with the mistake in the command, or the reason why it failed.
 */
export async function runOnServer(
  name: ServerCommandName,
  given: GivenArguments,
  terminal: Terminal,
): Promise<number> {
  const request = serverRequest(name, { ...given, nowMs: systemClock.nowMs() });
  if (isList(request)) {
    await runList(request, given, terminal);
    return 0;
  }
  const form = given.options.csv === true ? `${request.kind}.csv` : request.kind;
  const describe = (result: unknown): string => describeResult(form, result);
  const work = request.kind.startsWith('signer.') ? 'signer' : 'other';
  const ask = () => askServer(given.options, terminal, { request, describe, work });
  const { file } = given.options;
  const result =
    name === 'setup-link' && typeof file === 'string' ? await withLinkFile(file, ask) : await ask();
  const isUnsound = typeof result === 'object' && result !== null && 'is_sound' in result && !result.is_sound;
  return isUnsound ? 1 : 0;
}
