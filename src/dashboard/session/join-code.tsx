import { useEffect, useState } from 'react';
import type { Session, SignInRequest } from '../../../generated/account/types.ts';
import { account } from '../calls/account-client.ts';
import { failureCode } from '../calls/failure-code.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { readForm } from '../parts/read-form.ts';
import { CodeField } from './code-field.tsx';

/** Shows why a link was not accepted. If the password belongs to a login with a second factor, asks for the code. */
export function JoinCode({ error }: { readonly error: unknown }) {
  const [isAsked, setAsked] = useState(false);
  const isMissing = failureCode(error) === 'second_factor_required';
  useEffect(() => {
    if (isMissing) setAsked(true);
  }, [isMissing]);
  return (
    <>
      {isAsked && (
        <>
          <p className="muted">
            A login with this email and password has a second factor: enter its code. Any other password
            creates a separate login for this account.
          </p>
          <CodeField isOptional />
        </>
      )}
      <ErrorNotice error={isMissing ? null : error} />
    </>
  );
}

/** Returns the code, if it was requested and filled in. */
export function readJoinCode(form: HTMLFormElement): { readonly code?: string } {
  const code = readForm(form, 'code').trim();
  return code === '' ? {} : { code };
}

/** Signs in after a link was accepted. A code sent with the link is used up, so the member signs in with the next one. */
export async function signInOnce(
  login: SignInRequest,
  usedCode: string | undefined,
): Promise<Session | undefined> {
  return usedCode === undefined ? account.signIn(login) : undefined;
}
