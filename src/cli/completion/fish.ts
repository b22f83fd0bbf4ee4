import type { OptionSpec } from '../command-spec.ts';
import { type CompletionPlace, completionPlaces, type Offer } from './completion-data.ts';
import { quoteForFish as quote } from './quote.ts';

/** The completion script for fish 3 and newer. */
export function fishCompletion(): string {
  const places = completionPlaces();
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [pathPattern(path)]));
  return `# fish completion for keyslot
function __keyslot_at
  set -l place ''
  set -l tokens (commandline -opc)
  for word in $tokens[2..-1]
    switch "$place $word"
      case ${paths.join(' ')}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end

complete -c keyslot -f
complete -c keyslot -s h -l help -d 'Show help'
${places.flatMap(linesOf).join('\n')}
`;
}

function pathPattern(path: string): string {
  return quote(path.includes(' ') ? path : ` ${path}`);
}

function linesOf({ path, words, options }: CompletionPlace): readonly string[] {
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
