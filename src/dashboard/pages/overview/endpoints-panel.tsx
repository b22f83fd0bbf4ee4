import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { credentials } from '../../calls/credentials.ts';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { nameOf } from '../../parts/networks.ts';
import { Snippet } from '../../parts/snippet.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { keySnippets } from '../keys/snippets.ts';
import { networkAddresses } from '../settings/network-addresses.ts';

const NO_KEY = 'YOUR_API_KEY';

/** The addresses of the account, with a key of the member's choice, and a program that calls one of them. */
export function EndpointsPanel() {
  const { networks, grpc_url: grpcUrl } = useSession();
  const mayManage = useScopes('keys:manage');
  const [path, setPath] = useState(networks[0]?.rpc_path ?? '');
  const [language, setLanguage] = useState('curl');
  const [key, setKey] = useState('');
  const lend = useMutation({
    mutationFn: async () => (await credentials.read()).api_key,
    onSuccess: setKey,
  });
  const apiKey = key.trim() || NO_KEY;
  const endpoints = [
    ...networkAddresses(SERVER_ADDRESS, path).map(({ kind, address }) => ({
      kind,
      address: `${address}?apikey=${encodeURIComponent(apiKey)}`,
    })),
    ...(grpcUrl === undefined ? [] : [{ kind: 'gRPC', address: grpcUrl }]),
    { kind: 'Wallets', address: `${SERVER_ADDRESS}/v1/wallets` },
  ];
  const snippets = keySnippets({ baseUrl: SERVER_ADDRESS, rpcPath: path, apiKey });
  const shown = snippets.find(({ title }) => title === language);
  return (
    <section className="panel" aria-labelledby="endpoints">
      <div className="panel-head">
        <h2 id="endpoints">Endpoints</h2>
        <Link href="/keys">{mayManage ? 'Create an API key' : 'API keys'}</Link>
      </div>
      <div className="endpoint-fields">
        {networks.length > 1 && (
          <Select
            label="Network"
            options={networks.map((network) => ({ value: network.rpc_path, text: nameOf(network) }))}
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
        )}
        <Field
          label="API key"
          name="endpoint-key"
          autoComplete="off"
          spellCheck={false}
          placeholder={NO_KEY}
          hint="It stays in this page. Keys are shown once, when they are made."
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <Button type="button" isBusy={lend.isPending} onClick={() => lend.mutate()}>
          Use a key for ten minutes
        </Button>
      </div>
      <ErrorNotice error={lend.error} />
      <dl className="endpoints">
        {endpoints.map(({ kind, address }) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd className="copyable">
              <code>{address}</code>
              <CopyButton text={address} label={`Copy the ${kind} address`} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="endpoint-code">
        <Select
          label="A first call with"
          options={snippets.map(({ title }) => ({ value: title, text: title }))}
          value={language}
          onChange={({ target }) => setLanguage(target.value)}
        />
        {shown !== undefined && <Snippet code={shown.code} label={`Copy the ${shown.title} program`} />}
      </div>
    </section>
  );
}
