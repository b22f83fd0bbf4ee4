import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { NotConfirmedError } from './not-confirmed.ts';
import { type ReferenceService, referenceOf } from '../calls/places.ts';
import { queryClient, SESSION_KEY } from '../calls/query-client.ts';
import { describeError } from './describe-error.ts';

export type ErrorNoticeProps = {
  readonly error: unknown;
  /** The operation that failed, by its tag and name in the reference. */
  readonly operation?: readonly [tag: string, name: string, service?: ReferenceService];
  /** A button that tries again. */
  readonly children?: ReactNode;
};

/** Shows an error and its remedy. Takes no space without an error, nor after a dialog that the member closed. */
export function ErrorNotice({ error, operation, children }: ErrorNoticeProps) {
  if (error === null || error === undefined || error instanceof NotConfirmedError) return null;
  const { text, remedy, requestId, fields } = describeError(error);
  return (
    <div className="notice" role="alert">
      <p>
        <strong>{text}</strong> {remedy}
      </p>
      {Object.entries(fields).map(([pointer, detail]) => (
        <p key={pointer}>
          <code>{pointer === '' ? 'body' : pointer.slice(1)}</code>: {detail}
        </p>
      ))}
      {(requestId !== undefined || operation !== undefined) && (
        <p className="notice-small">
          {requestId !== undefined && <RequestLink id={requestId} />}{' '}
          {operation !== undefined && <a href={referenceOf(...operation)}>Reference of {operation[1]}</a>}
        </p>
      )}
      {children}
    </div>
  );
}

/** The id of a request; for a member, a link to its entry in the log of requests. */
function RequestLink({ id }: { readonly id: string }) {
  const isSignedIn = Boolean(queryClient.getQueryData(SESSION_KEY));
  return isSignedIn ? (
    <Link href={`/requests/${id}`}>
      <code>{id}</code>
    </Link>
  ) : (
    <code>{id}</code>
  );
}
