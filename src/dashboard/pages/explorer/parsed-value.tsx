import { AccountLink } from '../../parts/account-link.tsx';
import { KeyText } from '../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../parts/networks.ts';
import { shownValue } from './shown-value.ts';

type ParsedValueProps = {
  readonly network: Network;
  readonly value: unknown;
  /** The name of the member. */
  readonly name?: string;
};

/** A value parsed by a node: each member with its name; addresses and signatures link to their pages. */
export function ParsedValue({ network, value, name }: ParsedValueProps) {
  const shown = shownValue(value, name);
  switch (shown.kind) {
    case 'address':
      return <AccountLink network={network} address={shown.text} noun="address" hasCopy={false} />;
    case 'signature':
      return (
        <KeyText
          text={shown.text}
          noun="signature"
          href={explorerPath(network, shown.text)}
          hasCopy={false}
        />
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
                <ParsedValue network={network} value={member} name={name} />
              </dd>
            </div>
          ))}
        </dl>
      );
    default:
      return shown satisfies never;
  }
}
