import type { TracedCall } from '../../../../../generated/localnet/types.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import { Badge } from '../../../parts/badge.tsx';
import { formatCount } from '../../../parts/format-number.ts';
import type { Network } from '../../../parts/networks.ts';
import { ParsedValue } from '../parsed-value.tsx';
import { callTitle, STATUS_TONES, STATUS_WORDS } from './describe-call.ts';

type TracedCallsProps = { readonly network: Network; readonly calls: readonly TracedCall[] };

/** Calls in their order, each with those that it made. */
export function TracedCalls({ network, calls }: TracedCallsProps) {
  return (
    <ol className="steps">
      {calls.map((call) => (
        <li key={call.path} className="step">
          <div className="step-head">
            <span className="muted number">{call.path}</span>
            <strong>{callTitle(call)}</strong>
            <AccountLink network={network} address={call.programId} noun="program" hasCopy={false} />
            <Badge tone={STATUS_TONES[call.status]}>{STATUS_WORDS[call.status]}</Badge>
            <span className="muted small">{unitsText(call)}</span>
          </div>
          {call.error !== null && <p className="down">{call.error}</p>}
          {call.info !== null && <ParsedValue network={network} value={call.info} />}
          {call.namedBy !== 'parser' && call.accounts.length > 0 && (
            <ParsedValue network={network} value={accountsOf(call)} />
          )}
          {call.namedBy === null && call.data !== '' && (
            <ParsedValue network={network} value={{ data: call.data }} />
          )}
          {call.logs.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keyboard.
            <pre className="logs" tabIndex={0}>
              {call.logs.join('\n')}
            </pre>
          )}
          {call.returnData !== null && (
            <ParsedValue network={network} value={{ returned: call.returnData }} />
          )}
          {call.calls.length > 0 && <TracedCalls network={network} calls={call.calls} />}
        </li>
      ))}
    </ol>
  );
}

/** By their names, if the IDL has some. */
function accountsOf({ accounts }: TracedCall): unknown {
  return Object.fromEntries(
    accounts.map(({ address, name }, index) => [name ?? `account ${index}`, address]),
  );
}

function unitsText({ computeUnits, ownComputeUnits, calls, status }: TracedCall): string {
  if (status === 'notRun') return '';
  if (computeUnits === null) return 'compute units not told';
  const total = `${formatCount(computeUnits)} compute units`;
  return calls.length === 0 || ownComputeUnits === null
    ? total
    : `${total}, ${formatCount(ownComputeUnits)} of them its own`;
}
