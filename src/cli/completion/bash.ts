import type { OptionSpec } from '../command-spec.ts';
import { type CompletionContext, completionContexts, valueOptions } from './completion-data.ts';
import { quote } from './quote.ts';

/**
 * The completion script for bash 3.2 and newer. It splits the line at spaces itself, because bash breaks words at the `:` of scopes and the
 * `=` of `--name=VALUE`.
 */
export function bashCompletion(): string {
  const contexts = completionContexts();
  const paths = contexts.flatMap(({ path }) => (path === '' ? [] : [pathPattern(path)]));
  return `# bash completion for keyslot
_keyslot() {
  local line=\${COMP_LINE:0:COMP_POINT} path='' word offered='' at
  local -a words
  read -r -a words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  local last=$((\${#words[@]} - 1))
  local current=\${words[last]} previous=\${words[last - 1]}
  for ((at = 1; at < last; at++)); do
    word="$path \${words[at]}"
    case $word in
      ${paths.join(' | ')}) path=\${word# } ;;
    esac
  done
  local typed=$current
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    current=\${current#*=}
  fi
  case "$path $previous" in
${valueCases()}
    *)
      case $path in
${contexts.map(contextCase).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  # bash replaces only what stands behind the last : of the word.
  if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local prefix=\${current%"\${current##*:}"}
    COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  fi
}
complete -F _keyslot keyslot
`;
}

function pathPattern(path: string): string {
  return quote(path.includes(' ') ? path : ` ${path}`);
}

/** Options with a value: offers fixed texts or paths, and nothing for free text. */
function valueCases(): string {
  return valueOptions().map(valueCase).join('\n');
}

function valueCase({ at, name, values, path }: OptionSpec & { readonly at: string }): string {
  const pattern = `    ${quote(`${at} --${name}`)})`;
  if (values !== undefined) return `${pattern} offered=${quote(values.join(' '))} ;;`;
  if (path === undefined) return `${pattern} return ;;`;
  return `${pattern} COMPREPLY=($(compgen -${path === 'file' ? 'f' : 'd'} -- "$current")); return ;;`;
}

function contextCase({ path, words, options }: CompletionContext): string {
  const offered = [...words.map(({ text }) => text), ...options.map(({ name }) => `--${name}`), '--help'];
  return `        ${quote(path)}) offered=${quote(offered.join(' '))} ;;`;
}
