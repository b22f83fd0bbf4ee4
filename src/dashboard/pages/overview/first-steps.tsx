import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { credentials } from '../../calls/credentials.ts';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { useScopes, useSession } from '../../session/session.tsx';

/** What to do first in a new account: try a call, then create a key that lasts. */
export function FirstSteps({ hasKey }: { readonly hasKey: boolean }) {
  const [network] = useSession().networks;
  const mayManage = useScopes('keys:manage');
  const show = useMutation({ mutationFn: () => writeCommand(network?.rpc_path ?? '') });
  return (
    <section className="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol className="steps">
        <li>
          <p>Call the network from your terminal. The key in the command works for ten minutes.</p>
          <ErrorNotice error={show.error} />
          {show.data === undefined ? (
            <Button type="button" isBusy={show.isPending} onClick={() => show.mutate()}>
              Show a command
            </Button>
          ) : (
            <Snippet code={show.data} label="Copy the command" />
          )}
        </li>
        <li>
          <p>
            {hasKey ? 'Put your key into your program: ' : 'Create a key that lasts: '}
            <Link href="/keys">{mayManage && !hasKey ? 'Create an API key' : 'Look at the keys'}</Link>
          </p>
        </li>
      </ol>
    </section>
  );
}

async function writeCommand(rpcPath: string): Promise<string> {
  const { keySnippets } = await import('../keys/snippets.ts');
  const { api_key: apiKey } = await credentials.read();
  const snippets = keySnippets({ baseUrl: SERVER_ADDRESS, rpcPath, apiKey });
  const code = snippets.find(({ title }) => title === 'curl')?.code;
  if (code === undefined) throw new Error('there is no command for curl');
  return code;
}
