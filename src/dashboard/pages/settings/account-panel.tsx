import { CopyButton } from '../../parts/copy-button.tsx';
import { useSession } from '../../session/session.tsx';

/** Which account this is, and who the member is in it. */
export function AccountPanel() {
  const { account, member } = useSession();
  return (
    <section className="panel" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl className="facts facts-wide">
        <div>
          <dt>Name</dt>
          <dd>{account.name}</dd>
        </div>
        <div>
          <dt>Account id</dt>
          <dd className="copyable">
            <code>{account.account_id}</code>
            <CopyButton text={account.account_id} label="Copy the account id" />
          </dd>
        </div>
        <div>
          <dt>You</dt>
          <dd>
            {member.name}, {member.role}
          </dd>
        </div>
      </dl>
      <p className="muted">
        The theme is chosen in the menu; it is kept in this browser alone. Name, plan and limits of the
        account are set by the operator of this server.
      </p>
    </section>
  );
}
