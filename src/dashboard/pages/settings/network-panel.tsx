import { SERVER_ADDRESS } from '../../calls/places.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { useSession } from '../../session/session.tsx';
import { networkAddresses } from './network-addresses.ts';

/** Where each network is served. */
export function NetworkPanel() {
  const { networks, grpc_url: grpcUrl } = useSession();
  return (
    <section className="panel" aria-labelledby="networks">
      <div className="panel-head">
        <h2 id="networks">Networks</h2>
        <ReferenceLink operation={['Networks', 'listNetworks']} />
      </div>
      {networks.map(({ name, environment, rpc_path }) => (
        <dl key={rpc_path} className="facts">
          {networkAddresses(SERVER_ADDRESS, rpc_path).map(({ kind, address }) => (
            <div key={kind}>
              <dt>
                {name}, {environment}: {kind}
              </dt>
              <dd className="copyable">
                <code>{address}</code>
                <CopyButton text={address} label={`Copy the ${kind} address of ${name}, ${environment}`} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
      {grpcUrl !== undefined && (
        <dl className="facts">
          <div>
            <dt>Topic streams of all networks: gRPC</dt>
            <dd className="copyable">
              <code>{grpcUrl}</code>
              <CopyButton text={grpcUrl} label="Copy the gRPC address of the topic streams" />
            </dd>
          </div>
        </dl>
      )}
      <p className="muted">
        Add a key: <code>?apikey=…</code>, or the header <code>x-api-key</code>. Topic streams use gRPC
        {grpcUrl === undefined && (
          <>
            , at an address that the operator names in the setting <code>grpc.public_url</code>
          </>
        )}
        ; their messages are in <a href={`${SERVER_ADDRESS}/stream.proto`}>stream.proto</a>.
      </p>
    </section>
  );
}
