import type { ReactNode } from 'react';
import { printJson } from '../../../../runtime/json.ts';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Snippet } from '../../parts/snippet.tsx';
import type { Network } from '../../parts/networks.ts';
import { curlOf } from './curl-of.ts';

type TryCallProps = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly network: Network;
};

/** Shows how to make the call of a view: in the reference, with its params and a key filled in, or in a shell. */
export function TryCall({ method, params, network }: TryCallProps) {
  const reference = `${SERVER_ADDRESS}/docs/ledger/${method}#params=${encodeURIComponent(printJson(params))}`;
  const url = `${SERVER_ADDRESS}${network.rpc_path}`;
  return (
    <Popover label="Try this call">
      <p>
        <a href={reference} target="_blank" rel="noreferrer">
          Try {method} in the reference
        </a>
        , with a key of your session filled in. In a shell, with the key in <code>API_KEY</code>:
      </p>
      <Snippet code={curlOf(url, method, params)} label="Copy the command" />
    </Popover>
  );
}

/** A panel that opens below a word as an overlay, so that nothing moves. */
function Popover({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <details
      className="popover"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.currentTarget.open = false;
        event.currentTarget.querySelector('summary')?.focus();
      }}
      onBlur={(event) => {
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget))
          event.currentTarget.open = false;
      }}
    >
      <summary>{label}</summary>
      <div className="popover-body">{children}</div>
    </details>
  );
}
