import type { UiAccount } from '../../../../../generated/ledger/types.ts';
import { formatCount } from '../../../parts/format-number.ts';
import type { Network } from '../../../parts/networks.ts';
import { ParsedValue } from '../parsed-value.tsx';
import { describeData } from './describe-data.ts';

type AccountDataProps = { readonly network: Network; readonly account: UiAccount };

/** The data of an account, parsed where the node knows its program. Takes no room without any. */
export function AccountDataPanel({ network, account }: AccountDataProps) {
  const data = describeData(account.data);
  if (data === undefined) return null;
  return (
    <section className="panel" aria-labelledby="data">
      <h2 id="data">Data</h2>
      {data.kind === 'parsed' ? (
        <>
          <p className="muted">
            Parsed as an account of <code>{data.program}</code>
          </p>
          <ParsedValue network={network} value={data.parsed} />
        </>
      ) : (
        <>
          <p className="muted">
            No parser knows it; in {data.encoding}
            {data.left > 0 && `, without the last ${formatCount(data.left)} characters`}.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keyboard. */}
          <pre className="logs" tabIndex={0}>
            {data.text}
          </pre>
        </>
      )}
    </section>
  );
}
