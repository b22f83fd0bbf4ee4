import { Link } from 'wouter';
import type { TransactionTrace } from '../../../../../generated/localnet/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { Count, Sol } from '../../../parts/number.tsx';
import { TracedAccounts } from './traced-accounts.tsx';
import { TracedCalls } from './traced-calls.tsx';

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
              : { name: 'Of these in calls that tell none', value: <Count value={untold} /> },
          ]}
        />
      </section>
      <section className="panel" aria-labelledby="calls">
        <h2 id="calls">Calls</h2>
        {trace.logsCut && (
          <p className="muted">
            The runtime cut the logs at 10,000 bytes: later calls have no lines and no compute units.
          </p>
        )}
        <TracedCalls network={network} calls={trace.calls} />
      </section>
      <section className="panel" aria-labelledby="accounts">
        <h2 id="accounts">Accounts before and after</h2>
        {!trace.statesKept && (
          <p className="muted">
            Owners and data of this transaction are not kept: it is old, a vote, or of before a restart.
          </p>
        )}
        <TracedAccounts network={network} accounts={trace.accounts} />
      </section>
    </>
  );
}
