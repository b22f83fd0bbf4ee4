import { serviceError } from '../base/service-error.ts';
import { askServer } from './ask-server.ts';
import type { PlansCommand } from './plans-options.ts';
import { describePlans } from './plans-text.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot plans …`: by the running server of the data directory, from its next request on; where none runs, in its store.
 *
 * @throws ServiceError what is wrong with the command, or keeps it from being done.
 */
export async function plans(command: PlansCommand, terminal: Terminal): Promise<void> {
  const request = requestOf(command);
  await askServer(command.options, terminal, {
    request,
    describe: (result) => describePlans(command.action, result),
  });
}

function requestOf({ action, words: [first, second], options }: PlansCommand): unknown {
  const kind = `plans.${action}`;
  switch (action) {
    case 'list':
      return { kind };
    case 'set':
      return {
        kind,
        name: first,
        requestsPerSecond: readFigure('requests-per-second', options),
        burst: readFigure('burst', options),
      };
    case 'remove':
      return { kind, name: first };
    case 'assign':
      return { kind, account: first, plan: second };
  }
}

function readFigure(name: string, options: PlansCommand['options']): number {
  const text = options[name];
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw serviceError('invalidCommand', {
    reason: `--${name} is ${JSON.stringify(text)}; must be a whole number`,
  });
}
