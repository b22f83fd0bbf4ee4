import { useId, useState } from 'react';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/field.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { useSession } from '../../session/session.tsx';
import { Secret } from '../../parts/secret.tsx';
import { keySnippets } from './snippets.ts';

type NewKeyDialogProps = { readonly name: string; readonly apiKey: string; readonly onClose: () => void };

/** Shows a new key, once, and programs that use it on a network of this server. */
export function NewKeyDialog({ name, apiKey, onClose }: NewKeyDialogProps) {
  const { networks } = useSession();
  const heading = useId();
  const [rpcPath, setRpcPath] = useState(networks[0]?.rpc_path ?? '');
  const [title, setTitle] = useState('@solana/kit');
  const snippets = keySnippets({ baseUrl: SERVER_ADDRESS, rpcPath, apiKey });
  const snippet = snippets.find((each) => each.title === title);
  return (
    <Dialog title={`Your key ${name}`} onClose={onClose} isSticky>
      <Secret text={apiKey} label="Copy the key" />
      {networks.length > 0 && (
        <section className="stack" aria-labelledby={heading}>
          <h3 id={heading}>Use it</h3>
          {networks.length > 1 && (
            <Select
              label="Network"
              value={rpcPath}
              onChange={(event) => setRpcPath(event.currentTarget.value)}
              options={networks.map((network) => ({
                value: network.rpc_path,
                text: `${network.name}, ${network.environment}`,
              }))}
            />
          )}
          <Select
            label="With"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            options={snippets.map((each) => ({ value: each.title, text: each.title }))}
          />
          {snippet !== undefined && (
            <Snippet code={snippet.code} label={`Copy the program for ${snippet.title}`} />
          )}
        </section>
      )}
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
