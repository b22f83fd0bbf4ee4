import { Link } from 'wouter';
import { useSession } from './session.tsx';

/** Tells a member without a second factor what it is for, and where to set it up. */
export function SecondFactorNotice() {
  if (useSession().has_second_factor) return null;
  return (
    <div className="notice notice-calm">
      <p>
        <strong>Your login has no second factor yet.</strong> Some changes need one, such as inviting members,
        creating tokens and replacing keys. <Link href="/security">Set it up</Link>: it takes a minute.
      </p>
    </div>
  );
}
