import type { OptionSpec } from '../command-spec.ts';
import { type CompletionContext, completionContexts, type Offer, valueOptions } from './completion-data.ts';
import { quote } from './quote.ts';

/** The completion script for zsh, to be evaluated, or kept as `_keyslot` in a directory of `fpath`. */
export function zshCompletion(): string {
  const contexts = completionContexts();
  const paths = contexts.flatMap(({ path }) => (path === '' ? [] : [pathPattern(path)]));
  return `#compdef keyslot
_keyslot() {
  local command_path='' word previous=\${words[CURRENT-1]}
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command_path $word" in
      (${paths.join(' | ')})
        word="$command_path $word"
        command_path=\${word# }
        ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    previous=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case "$command_path $previous" in
${valueOptions().map(valueCase).join('\n')}
  esac
  case $command_path in
${contexts.map(contextCase).join('\n')}
  esac
  _describe keyslot offered
}
if [[ $funcstack[1] == _keyslot ]]; then
  _keyslot "$@"
else
  compdef _keyslot keyslot
fi
`;
}

function pathPattern(path: string): string {
  return quote(path.includes(' ') ? path : ` ${path}`);
}

function valueCase({ at, name, values, path }: OptionSpec & { readonly at: string }): string {
  const pattern = `    (${quote(`${at} --${name}`)})`;
  if (values !== undefined) return `${pattern} compadd -- ${values.map(quote).join(' ')}; return ;;`;
  if (path === undefined) return `${pattern} return ;;`;
  return `${pattern} _files${path === 'directory' ? ' -/' : ''}; return ;;`;
}

function contextCase({ path, words, options }: CompletionContext): string {
  const offers = [
    ...words,
    ...options.map(({ name, summary }) => ({ text: `--${name}`, summary })),
    { text: '--help', summary: 'Show help' },
  ];
  return `    (${quote(path)}) offered=(${offers.map(describe).join(' ')}) ;;`;
}

/** `_describe` splits at the first colon that has no backslash. */
function describe({ text, summary }: Offer): string {
  return quote(`${text.replaceAll(':', '\\:')}:${summary}`);
}
