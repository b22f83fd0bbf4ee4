import { useEffect, useState } from 'react';
import type { Session, SignInRequest } from '../../../generated/account/types.ts';
import { account } from '../calls/account-client.ts';
import { failureCode } from '../calls/failure-code.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { readForm } from '../parts/read-form.ts';
import { CodeField } from './code-field.tsx';

/** Says why a link was not accepted. Where the password is that of a login with a second factor, it asks for the code. */
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
            A login with this email has this password, and a second factor: send its code. Any other password
            makes a login of its own for this account.
          </p>
          <CodeField isOptional />
        </>
      )}
      <ErrorNotice error={isMissing ? null : error} />
    </>
  );
}

/** The code, if one was asked for and filled in. */
export function readJoinCode(form: HTMLFormElement): { readonly code?: string } {
  const code = readForm(form, 'code').trim();
  return code === '' ? {} : { code };
}

/** Signs in after a link was accepted. A code that was sent for that is used up: the member signs in with the next one. */
export async function signInOnce(
  login: SignInRequest,
  usedCode: string | undefined,
): Promise<Session | undefined> {
  return usedCode === undefined ? account.signIn(login) : undefined;
}
