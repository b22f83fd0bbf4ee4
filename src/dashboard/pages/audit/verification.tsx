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
import {
  type VerifiedHead,
  type Verdict,
  verifyChain,
  type VerifyProgress,
  type ChainFault,
} from './verify-chain.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

const RECORDS = 5_000;
const HEADS = 1_000;

type Run = { readonly progress: VerifyProgress | undefined; readonly total: number };

/** Verifies the audit log in the browser, without trust in the server beyond its records. */
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
          accountId,
          kept,
          isFromFirst,
          signal,
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
        Every record has the hash of the previous one, and the server signs heads of this chain. This page
        recomputes the whole chain in your browser, and names the first record that was changed, removed or
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
          Stopped after record <Count value={progress?.seq ?? 0} />. No problem was found up to there.
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

/** The result of the verification: all records are unchanged, or the first one that is not. */
function VerdictNotice({ verdict }: { readonly verdict: Verdict }) {
  const { fault, records, heads, publicKeys } = verdict;
  if (fault !== undefined) {
    const { title, text, values } = describeFault(fault);
    return (
      <div className="notice" role="alert">
        <p>
          <strong>{title}.</strong> {text}
        </p>
        <dl className="facts">
          {values.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
        <p className="notice-small">
          The <Count value={records} /> records before it are unchanged. Show this to the operator of the
          server.
        </p>
      </div>
    );
  }
  return (
    <div className="stack" role="status">
      <p className="notice notice-good">
        <strong>
          <Count value={records} /> {records === 1 ? 'record is' : 'records are'} unchanged.
        </strong>{' '}
        {heads === 0 ? (
          <span>
            They have no signed head yet: the server signs one a minute after a record, and for every
            thousand.
          </span>
        ) : (
          <span>
            <Count value={heads} /> signed {heads === 1 ? 'head agrees' : 'heads agree'} with them.
          </span>
        )}
      </p>
      {publicKeys.map((key) => (
        <div key={key}>
          <p className="field-hint">
            Heads are signed with this public key. Compare it with the one that the operator published: a
            server that rewrites its log could show another.
          </p>
          <p className="copyable">
            <code>{key}</code>
            <CopyButton text={key} label="Copy the public key" />
          </p>
        </div>
      ))}
    </div>
  );
}

/** A fault of the chain in words, with the found and the expected values. */
type DescribedFault = {
  readonly title: string;
  readonly text: string;
  readonly values: readonly { readonly name: string; readonly value: string }[];
};

/** Puts a fault into words. */
function describeFault(fault: ChainFault): DescribedFault {
  const { seq } = fault;
  switch (fault.kind) {
    case 'missing':
      return {
        title: `Record ${seq} is missing`,
        text: 'It was removed, or the end of the log was cut off.',
        values: [],
      };
    case 'changed':
      return {
        title: `Record ${seq} was changed`,
        text: 'Its content does not match the hash that is stored with it.',
        values: [
          { name: 'Hash of its content', value: fault.recomputed },
          { name: 'Stored hash', value: fault.stored },
        ],
      };
    case 'unlinked':
      return {
        title: `Record ${seq} does not follow record ${seq - 1}`,
        text: `Record ${seq - 1} was replaced, or record ${seq} was inserted.`,
        values: [
          { name: `Hash of record ${seq - 1}`, value: fault.expected },
          { name: 'Previous hash in the record', value: fault.previous },
        ],
      };
    case 'rewritten':
      return {
        title: `Record ${seq} is not the one that this browser verified earlier`,
        text: 'The log was rewritten, up to this record or beyond.',
        values: [
          { name: 'Hash now', value: fault.stored },
          { name: 'Hash verified earlier', value: fault.kept },
        ],
      };
    case 'head':
      return {
        title: `Record ${seq} is not the one that was signed`,
        text: 'The signed head of this record has a different hash: the log was rewritten.',
        values: [
          { name: 'Stored hash', value: fault.stored },
          { name: 'Signed hash', value: fault.stated },
        ],
      };
    case 'signature':
      return {
        title: `The signature of the head of record ${seq} is wrong`,
        text: 'The head was changed, or another key signed it.',
        values: [{ name: 'Public key', value: fault.publicKey }],
      };
  }
  fault satisfies never;
  throw new Error('not a fault');
}
