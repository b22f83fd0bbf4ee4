import type { Files } from '../../area.ts';
import type { Verdict } from '../../model/embedded.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Callable } from '../../model/method.ts';
import { paramParts } from '../../model/param-parts.ts';
import { HEADER } from './doc-parts.ts';
import { HEADER as CODE_HEADER, literal, memberName } from '../../text.ts';
import { cell } from './tables.ts';

/** docs/ledger/embedded-ledger.md: every method, option, subscription and flag compared with a node's. */
export const renderEmbeddedPage = (model: LedgerModel): Files => {
  const { embedded, methods, subscriptions } = model;
  if (embedded === undefined) return {};
  const ofCalls = (calls: readonly Callable[], verdicts: Readonly<Record<string, Verdict>>): string =>
    calls
      .flatMap((call) => [
        row([`[${call.name}](${call.name}.md)`, ...columns(verdicts[call.name])]),
        ...partNames(call, model).map((name) =>
          row([`${INDENT}\`${name}\``, ...columns(embedded.params[`${call.name}.${name}`])]),
        ),
      ])
      .join('');
  const flags = Object.entries(embedded.flags).map(([flag, verdict]) =>
    row([`\`${flag}\``, ...columns(verdict)]),
  );
  const cheats = Object.entries(embedded.cheats).map(([name, verdict]) =>
    row([`\`${name}\``, ...columns(verdict)]),
  );
  return {
    'docs/ledger/embedded-ledger.md': `${HEADER}${[
      '# The embedded ledger compared with a node\n',
      'The node runs in development mode (`solana-test-validator`, Agave 4.3): **same**, **differs** and how, or **cannot** and why.',
      'Below each method stand its params and their members.\n',
      '## Methods\n',
      `${head('method')}${ofCalls(methods, embedded.methods)}`,
      '## Subscriptions\n',
      `${head('subscription')}${ofCalls(subscriptions, embedded.subscriptions)}`,
      '## Flags of the test validator\n',
      '**No effect**: accepted, and named in a line of stderr. One that it **cannot** is refused with the reason.\n',
      `${head('flag')}${flags.join('')}`,
      '## Cheat codes\n',
      'A node has none of them. Those that begin with `surfnet_` are compared with surfpool; **own**: of this ledger alone, with what surfpool has in its place.\n',
      `${head('cheat code')}${cheats.join('')}`,
    ].join('\n')}`,
  };
};

/** ledger/test-validator-flags.ts: the flags of the test validator that the command line accepts without effect, or refuses. */
export const renderFlags = ({ embedded }: LedgerModel): Files => {
  if (embedded === undefined) return {};
  const entries = (kind: 'ignored' | 'cannot'): string =>
    Object.entries(embedded.flags)
      .flatMap(([flag, verdict]) =>
        typeof verdict === 'object' && kind in verdict ? [`${memberName(flag)}: ${literal(verdict)},\n`] : [],
      )
      .join('');
  return {
    'ledger/test-validator-flags.ts': `${CODE_HEADER}
/** The flags of solana-test-validator that the embedded ledger accepts without effect: why, and the name of the value that each takes. */
export const IGNORED_FLAGS: Readonly<Record<string, { readonly ignored: string; readonly value?: string }>> = {
${entries('ignored')}};

/** The flags of solana-test-validator that the embedded ledger refuses, and why. */
export const REFUSED_FLAGS: Readonly<Record<string, { readonly cannot: string }>> = {
${entries('cannot')}};
`,
  };
};

const INDENT = '&nbsp;&nbsp;&nbsp;&nbsp;';

const head = (first: string): string => `| ${first} | | |\n|---|---|---|\n`;

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |\n`;

const columns = (
  verdict: Verdict | { readonly own: string } | { readonly ignored: string } = 'same',
): readonly [string, string] => {
  if (verdict === 'same') return ['same', ''];
  if ('ignored' in verdict) return ['no effect', `${verdict.ignored}.`];
  if ('own' in verdict) return ['own', verdict.own];
  return 'differs' in verdict ? ['differs', verdict.differs] : ['cannot', verdict.cannot];
};

/** Params and members, each once; entries of a list belong to the list. */
const partNames = (call: Callable, model: LedgerModel): readonly string[] => [
  ...new Set(
    paramParts(call, model)
      .map(({ name }) => name)
      .filter((name) => !name.endsWith('[0]')),
  ),
];
