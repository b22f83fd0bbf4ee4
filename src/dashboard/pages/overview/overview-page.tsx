import { SERVER_ADDRESS } from '../../calls/places.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Page } from '../../parts/page.tsx';
import { SecondFactorNotice } from '../../session/second-factor-notice.tsx';
import { useSession } from '../../session/session.tsx';
import { LiveSlot } from './live-slot.tsx';

/** The first page after the sign-in: the networks of this server and their addresses. */
export function OverviewPage() {
  const { account, networks } = useSession();
  return (
    <Page title="Overview" lead={`Account ${account.name}`}>
      <SecondFactorNotice />
      <section className="panel" aria-labelledby="networks">
        <h2 id="networks">Networks</h2>
        <dl className="facts">
          {networks.map(({ name, environment, rpc_path }) => (
            <div key={rpc_path}>
              <dt>
                {name}, {environment}
              </dt>
              <dd className="copyable">
                <code>{`${SERVER_ADDRESS}${rpc_path}`}</code>
                <CopyButton
                  text={`${SERVER_ADDRESS}${rpc_path}`}
                  label={`Copy the address of ${name}, ${environment}`}
                />
              </dd>
              <dd>
                Slot <LiveSlot rpcPath={rpc_path} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </Page>
  );
}
