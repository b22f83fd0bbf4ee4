import { serviceError } from '../../base/service-error.ts';
import { SHELLS } from '../commands/command-line.ts';
import { didYouMean } from '../../base/did-you-mean.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SCRIPTS: { readonly [S in (typeof SHELLS)[number]]: () => string } = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The completion script for a shell. @throws ServiceError `invalidCommand` for a shell that has none. */
export function completionScript(name: string): string {
  const shell = SHELLS.find((one) => one === name);
  if (shell !== undefined) return SCRIPTS[shell]();
  throw serviceError('invalidCommand', {
    reason: `completion: expected one of ${SHELLS.join(', ')}, got "${name}"${didYouMean(name, SHELLS) ?? ''}`,
  });
}
