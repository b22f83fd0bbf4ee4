import { serviceError } from '../../core/service-error.ts';
import { SHELLS } from '../commands/command-line.ts';
import { didYouMean } from '../../core/did-you-mean.ts';
import { bashCompletion } from './bash.ts';
import { zshCompletion } from './zsh.ts';
import type { OptionSpec } from '../command-spec.ts';
import { type CompletionContext, completionContexts, type Offer } from './completion-data.ts';
import { quoteForFish as quote } from './quote.ts';

/** The completion script for fish 3 and newer. */
function fishCompletion(): string {
  const contexts = completionContexts();
  const paths = contexts.flatMap(({ path }) => (path === '' ? [] : [pathPattern(path)]));
  return `# fish completion for keyslot
function __keyslot_at
  set -l path ''
  set -l tokens (commandline -opc)
  for word in $tokens[2..-1]
    switch "$path $word"
      case ${paths.join(' ')}
        set path (string trim -- "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end

complete -c keyslot -f
complete -c keyslot -s h -l help -d 'Show help'
${contexts.flatMap(linesOf).join('\n')}
`;
}

function pathPattern(path: string): string {
  return quote(path.includes(' ') ? path : ` ${path}`);
}

function linesOf({ path, words, options }: CompletionContext): readonly string[] {
  const start = `complete -c keyslot -n ${quote(`__keyslot_at "${path}"`)}`;
  const wordLine = ({ text, summary }: Offer): string => `${start} -a ${quote(text)} -d ${quote(summary)}`;
  const optionLine = (option: OptionSpec): string =>
    `${start} -l ${option.name} -d ${quote(option.summary)}${valueFlags(option)}`;
  return [...words.map(wordLine), ...options.map(optionLine)];
}

function valueFlags({ value, values, path }: OptionSpec): string {
  if (value === undefined) return '';
  if (values !== undefined) return ` -x -a ${quote(values.join(' '))}`;
  if (path === undefined) return ' -x';
  return path === 'directory' ? " -x -a '(__fish_complete_directories)'" : ' -r -F';
}

const SCRIPTS: { readonly [S in (typeof SHELLS)[number]]: () => string } = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Returns the completion script for a shell. @throws ServiceError `invalidCommand` for an unsupported shell. */
export function completionScript(name: string): string {
  const shell = SHELLS.find((one) => one === name);
  if (shell !== undefined) return SCRIPTS[shell]();
  throw serviceError('invalidCommand', {
    reason: `completion: expected one of ${SHELLS.join(', ')}, got "${name}"${didYouMean(name, SHELLS) ?? ''}`,
  });
}
