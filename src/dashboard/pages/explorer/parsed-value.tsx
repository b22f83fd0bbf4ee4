import { KeyText } from '../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../parts/networks.ts';
import { shownValue } from './shown-value.ts';

type ParsedValueProps = { readonly network: Network; readonly value: unknown };

/** What a node has parsed: each member with its name; addresses and signatures lead to their pages. */
export function ParsedValue({ network, value }: ParsedValueProps) {
  const shown = shownValue(value);
  switch (shown.kind) {
    case 'key':
      return (
        <KeyText text={shown.text} noun="key" href={explorerPath(network, shown.text)} hasCopy={false} />
      );
    case 'text':
      return <span className="number-wrap">{shown.text}</span>;
    case 'list':
      return (
        <ul className="value-list">
          {shown.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it came and never changes.
            <li key={index}>
              <ParsedValue network={network} value={item} />
            </li>
          ))}
          {shown.left > 0 && <li className="muted">and {shown.left} more</li>}
        </ul>
      );
    case 'members':
      return (
        <dl className="members">
          {shown.members.map(([name, member]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <ParsedValue network={network} value={member} />
              </dd>
            </div>
          ))}
        </dl>
      );
    default:
      return shown satisfies never;
  }
}
