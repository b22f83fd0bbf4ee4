import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { account } from '../../calls/account-client.ts';
import { patiently } from '../../calls/patiently.ts';
import { referenceOf } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Count } from '../../parts/number.tsx';
import { Progress } from '../../parts/progress.tsx';
import { useSession } from '../../session/session.tsx';
import { browserCrypto, canVerify } from './browser-crypto.ts';
import { keepHead, readKeptHead } from './kept-head.ts';
import { VerdictNotice } from './verdict-notice.tsx';
import { type VerifiedHead, type Verdict, verifyChain, type VerifyProgress } from './verify-chain.ts';

const RECORDS = 5_000;
const HEADS = 1_000;

type Run = { readonly progress: VerifyProgress | undefined; readonly total: number };

/** Verifies the audit log in the browser, which trusts the server with nothing but the records. */
export function Verification() {
  const { account: own } = useSession();
  const accountId = own.account_id;
  const [kept, setKept] = useState(() => readKeptHead(accountId));
  const [run, setRun] = useState<Run>({ progress: undefined, total: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const verify = useMutation({
    mutationFn: async (isFromFirst: boolean): Promise<Verdict | 'stopped'> => {
      const controller = new AbortController();
      running.current = controller;
      const { signal } = controller;
      setRun({ progress: undefined, total: 0 });
      const keep = (head: VerifiedHead | undefined): void => {
        if (head === undefined || head.seq < (kept?.seq ?? 0)) return;
        keepHead(accountId, head);
        setKept(head);
      };
      try {
        const { records } = await patiently(() => account.listAuditRecords({ limit: 1 }, { signal }), signal);
        const total = records[0]?.seq ?? 0;
        const verdict = await verifyChain(depsOf(signal), {
          ...{ accountId, kept, isFromFirst, signal },
          onProgress: (progress) => {
            setRun({ progress, total });
            keep(progress.head);
          },
        });
        return verdict;
      } catch (error) {
        if (signal.aborted) return 'stopped';
        throw error;
      }
    },
  });
  const { progress, total } = run;
  return (
    <section className="panel" aria-labelledby="verify">
      <div className="panel-head">
        <h2 id="verify">Verify the log</h2>
        <a href={referenceOf('Audit log', 'listAuditChain')}>How it works</a>
      </div>
      <p>
        Every record has the hash of the one before, and the server signs heads of this chain. This page
        computes all of it anew in your browser, and names the first record that was changed, removed or
        inserted.
      </p>
      {kept !== undefined && (
        <p className="muted">
          Verified in this browser up to record <Count value={kept.seq} />.
        </p>
      )}
      {canVerify() ? (
        <div className="actions actions-left">
          {verify.isPending ? (
            <Button type="button" onClick={() => running.current?.abort()}>
              Stop
            </Button>
          ) : (
            <>
              <Button type="button" kind="primary" onClick={() => verify.mutate(kept === undefined)}>
                {kept === undefined ? 'Verify all records' : 'Verify the records since'}
              </Button>
              {kept !== undefined && (
                <Button type="button" onClick={() => verify.mutate(true)}>
                  Verify from the first record
                </Button>
              )}
            </>
          )}
        </div>
      ) : (
        <p className="notice notice-warn">
          The browser computes hashes only over HTTPS. Open the dashboard at its https address, or have the
          operator run <code>keyslot audit verify</code>.
        </p>
      )}
      {verify.isPending && (
        <div className="verify-progress" role="status">
          <Progress
            label="Records verified"
            value={progress?.seq ?? 0}
            limit={Math.max(total, progress?.seq ?? 0, 1)}
          />
          <span>
            Record <Count value={progress?.seq ?? 0} /> of <Count value={total} />
          </span>
        </div>
      )}
      <ErrorNotice error={verify.error} operation={['Audit log', 'listAuditChain']} />
      {verify.data === 'stopped' && (
        <p role="status">
          Stopped after record <Count value={progress?.seq ?? 0} />. Nothing wrong was found until there.
        </p>
      )}
      {verify.data !== undefined && verify.data !== 'stopped' && <VerdictNotice verdict={verify.data} />}
    </section>
  );
}

function depsOf(signal: AbortSignal) {
  return {
    ...browserCrypto(),
    readChain: (from_seq: number) =>
      patiently(() => account.listAuditChain({ from_seq, limit: RECORDS }, { signal }), signal),
    readHeads: (from_seq: number) =>
      patiently(() => account.listAuditHeads({ from_seq, limit: HEADS }, { signal }), signal),
  };
}
