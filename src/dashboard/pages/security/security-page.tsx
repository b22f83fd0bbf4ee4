import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SecondFactorPanel } from './second-factor-panel.tsx';
import { SessionPanel } from './session-panel.tsx';
import './security-page.css';

/** The login of the member: second factor, password, sessions. */
export function SecurityPage() {
  const { member } = useSession();
  return (
    <Page title="Security" lead={`Your login, ${member.email}, in every account that it is a member of.`}>
      <SecondFactorPanel />
      <PasswordPanel />
      <SessionPanel />
    </Page>
  );
}
