import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NetworkSelect } from '../../parts/network-select.tsx';
import { explorerPath, type Network, slugOf } from '../../parts/networks.ts';
import { readForm } from '../../parts/read-form.ts';
import { useSession } from '../../session/session.tsx';
import { pathText, recognise } from './recognise.ts';

/** One field for addresses, signatures and slots of a network. */
export function Search({ network }: { readonly network: Network }) {
  const { networks } = useSession();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string>();
  return (
    <search className="panel">
      <form
        className="explorer-search"
        onSubmit={(event) => {
          event.preventDefault();
          const found = recognise(readForm(event.currentTarget, 'what'));
          if (found !== undefined) navigate(explorerPath(network, pathText(found)));
          else setProblem('This is no address, no signature and no slot. Is it whole?');
        }}
      >
        <NetworkSelect
          networks={networks}
          value={network}
          onChange={(chosen) => navigate(`/explorer/${slugOf(chosen)}`)}
        />
        <Field
          name="what"
          label="Address, signature or slot"
          problem={problem}
          type="search"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button type="submit" kind="primary">
          Search
        </Button>
      </form>
    </search>
  );
}
