import { CopyButton } from '../../parts/copy-button.tsx';
import { Count } from '../../parts/number.tsx';
import { describeFault } from './describe-fault.ts';
import type { Verdict } from './verify-chain.ts';

/** What the verification found: that all is as it was written, or the first record that is not. */
export function VerdictNotice({ verdict }: { readonly verdict: Verdict }) {
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
          <Count value={records} /> records before it are as they were written. Show this to the operator of
          the server.
        </p>
      </div>
    );
  }
  return (
    <div className="stack" role="status">
      <p className="notice notice-good">
        <strong>
          <Count value={records} /> {records === 1 ? 'record is as it was' : 'records are as they were'}{' '}
          written.
        </strong>{' '}
        {heads === 0 ? (
          <span>
            There is no signed head of them yet: the server signs one a minute after a record, and for every
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
