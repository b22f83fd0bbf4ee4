import { Link } from 'wouter';
import type {
  TransactionTrace,
  TracedCall,
  TraceStatus,
  TracedAccount,
} from '../../../../../generated/localnet/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { Count, Sol } from '../../../parts/number.tsx';
import { AccountLink } from '../../../parts/account-link.tsx';
import { formatCount, formatSol } from '../../../parts/format-number.ts';
import { ParsedValue } from '../parsed-value.tsx';
import { type Column, Table } from '../../../parts/table.tsx';

type TracePartsProps = { readonly network: Network; readonly trace: TransactionTrace };

/** A trace: the failing call in words, the tree of calls, and the accounts before and after. */
export function TraceParts({ network, trace }: TracePartsProps) {
  const { signature, slot, failure, fee, computeUnits, unattributedComputeUnits: untold } = trace;
  return (
    <>
      <section className="panel" aria-labelledby="outcome">
        <h2 id="outcome">Outcome</h2>
        {failure !== null && (
          <p className="notice">
            <span>
              <strong>It failed.</strong> {failure.message}.
            </span>
          </p>
        )}
        <Facts
          facts={[
            {
              name: 'Signature',
              value: (
                <KeyText text={signature} noun="signature" href={explorerPath(network, signature)} isWhole />
              ),
              isWide: true,
            },
            {
              name: 'Result',
              value: (
                <Badge tone={failure === null ? 'good' : 'bad'}>
                  {failure === null ? 'succeeded' : 'failed'}
                </Badge>
              ),
            },
            {
              name: 'Slot',
              value: (
                <Link href={explorerPath(network, BigInt(slot))}>
                  <Count value={slot} />
                </Link>
              ),
            },
            { name: 'Fee', value: fee === null ? 'none' : <Sol lamports={BigInt(fee)} /> },
            { name: 'Compute units', value: <Count value={computeUnits} /> },
            BigInt(untold) === 0n
              ? undefined
              : { name: 'Of these in calls that report none', value: <Count value={untold} /> },
          ]}
        />
      </section>
      <section className="panel" aria-labelledby="calls">
        <h2 id="calls">Calls</h2>
        {trace.logsCut && (
          <p className="muted">
            The runtime cut the logs at 10,000 bytes: later calls have no log lines and no compute units.
          </p>
        )}
        <TracedCalls network={network} calls={trace.calls} />
      </section>
      <section className="panel" aria-labelledby="accounts">
        <h2 id="accounts">Accounts before and after</h2>
        {!trace.statesKept && (
          <p className="muted">
            Owners and data of this transaction are not kept: it is old, a vote, or from before a restart.
          </p>
        )}
        <TracedAccounts network={network} accounts={trace.accounts} />
      </section>
    </>
  );
}

type TracedCallsProps = { readonly network: Network; readonly calls: readonly TracedCall[] };

/** Calls in their order, each with those that it made. */
function TracedCalls({ network, calls }: TracedCallsProps) {
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

/** The accounts of a call, by their names in the IDL if it has them. */
function accountsOf({ accounts }: TracedCall): unknown {
  return Object.fromEntries(
    accounts.map(({ address, name }, index) => [name ?? `account ${index}`, address]),
  );
}

function unitsText({ computeUnits, ownComputeUnits, calls, status }: TracedCall): string {
  if (status === 'notRun') return '';
  if (computeUnits === null) return 'compute units not reported';
  const total = `${formatCount(computeUnits)} compute units`;
  return calls.length === 0 || ownComputeUnits === null
    ? total
    : `${total}, ${formatCount(ownComputeUnits)} of them its own`;
}

const STATUS_WORDS: Readonly<Record<TraceStatus, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  notRun: 'not run',
  unknown: 'not known',
};
const STATUS_TONES: Readonly<Record<TraceStatus, 'good' | 'bad' | 'off'>> = {
  succeeded: 'good',
  failed: 'bad',
  notRun: 'off',
  unknown: 'off',
};

/** Returns the names of a call: "spl-token: transfer". */
function callTitle({ program, instruction }: Pick<TracedCall, 'program' | 'instruction'>): string {
  const name = program ?? 'Program';
  return instruction === null ? name : `${name}: ${instruction}`;
}

type TracedAccountsProps = { readonly network: Network; readonly accounts: readonly TracedAccount[] };

/** The accounts of a transaction before and after it. */
function TracedAccounts({ network, accounts }: TracedAccountsProps) {
  return (
    <Table
      caption="Accounts before and after"
      columns={columnsOf(network)}
      rows={accounts}
      keyOf={({ address }) => address}
    />
  );
}

function columnsOf(network: Network): readonly Column<TracedAccount>[] {
  return [
    {
      title: 'Account',
      share: 1.2,
      show: ({ address, signer, writable }) => (
        <span className="cell-lines">
          <AccountLink network={network} address={address} noun="account" hasCopy={false} />
          <span className="muted small">
            {signer && 'signer, '}
            {writable ? 'writable' : 'read-only'}
          </span>
        </span>
      ),
    },
    {
      title: 'Before, SOL',
      kind: 'number',
      show: ({ balance }) => (balance === null ? 'not read' : formatSol(BigInt(balance.before))),
    },
    {
      title: 'After, SOL',
      kind: 'number',
      show: ({ balance }) => (balance === null ? 'not read' : formatSol(BigInt(balance.after))),
    },
    {
      title: 'Changes',
      share: 2,
      show: (account) => (
        <span className="cell-lines small">
          {changeLines(account).map((line) => (
            <span key={line} className="number-wrap">
              {line}
            </span>
          ))}
          {account.dataChanges.map(({ offset, before, after }) => (
            <code key={String(offset)} className="changed-bytes">
              {formatCount(offset)}: {before === '' ? 'nothing' : before} → {after === '' ? 'nothing' : after}
            </code>
          ))}
          {account.dataChangesCut && <span className="muted">and more</span>}
        </span>
      ),
    },
  ];
}

/** Describes the changes of an account other than its lamports and the bytes of its data. */
function changeLines({ states, dataChanges }: TracedAccount): readonly string[] {
  if (states === null) return [];
  const { before, after } = states;
  if (before === null && after === null) return [];
  if (before === null)
    return after === null ? [] : [`made with ${formatCount(after.space)} bytes, owner ${after.owner}`];
  if (after === null) return ['removed'];
  return [
    ...(before.owner === after.owner ? [] : [`owner ${before.owner} → ${after.owner}`]),
    ...(before.space === after.space
      ? []
      : [`${formatCount(before.space)} → ${formatCount(after.space)} bytes`]),
    ...(before.executable === after.executable ? [] : ['made executable']),
    ...(dataChanges.length === 0 ? [] : ['bytes from, in base-64:']),
  ];
}
