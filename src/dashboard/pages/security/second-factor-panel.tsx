import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { useSession } from '../../session/session.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';
import { RenewCodesDialog } from './renew-codes-dialog.tsx';

/** Fewer backup codes than this ask to be renewed. */
const FEW = 3;

/** The second factor of the login: set it up, replace it, renew its backup codes. */
export function SecondFactorPanel() {
  const { has_second_factor, backup_codes_left } = useSession();
  const [shown, setShown] = useState<'enrol' | 'codes'>();
  const close = () => setShown(undefined);
  return (
    <section className="panel" aria-labelledby="second-factor">
      <div className="panel-head">
        <h2 id="second-factor">Second factor</h2>
        <Badge tone={has_second_factor ? 'good' : 'off'}>{has_second_factor ? 'on' : 'off'}</Badge>
      </div>
      <div className="setting">
        <p>
          {has_second_factor
            ? 'Signing in asks for a code of your authenticator app.'
            : 'With it, your password alone opens nothing: signing in asks for a code of an authenticator app.'}{' '}
          <span className="muted">
            Members, tokens, and replacing a key need a code of the last five minutes, so that an open browser
            alone cannot change them.
          </span>
        </p>
        <Button
          type="button"
          kind={has_second_factor ? 'plain' : 'primary'}
          onClick={() => setShown('enrol')}
        >
          {has_second_factor ? 'Replace it' : 'Set up a second factor'}
        </Button>
      </div>
      {has_second_factor && (
        <div className="setting">
          <p>
            <strong>
              {backup_codes_left === 1 ? '1 backup code is' : `${backup_codes_left} backup codes are`} left.
            </strong>{' '}
            <span className="muted">
              {backup_codes_left < FEW
                ? 'Create new ones, before you need one and have none.'
                : 'Each replaces a code once, when you do not have your authenticator app.'}
            </span>
          </p>
          <Button type="button" onClick={() => setShown('codes')}>
            New backup codes
          </Button>
        </div>
      )}
      {shown === 'enrol' && <EnrolDialog onClose={close} />}
      {shown === 'codes' && <RenewCodesDialog onClose={close} />}
    </section>
  );
}
