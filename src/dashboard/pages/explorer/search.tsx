import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NetworkSelect } from '../../parts/network-select.tsx';
import { explorerPath, type Network, slugOf } from '../../parts/networks.ts';
import { readForm } from '../../parts/read-form.ts';
import { useSession } from '../../session/session.tsx';
import { pathText, recognise } from './recognise.ts';

type SearchProps = {
  readonly network: Network;
  /** What is shown. */
  readonly what: string | undefined;
};

/** One field for addresses, signatures and slots of a network. An address that is shown is looked up on another network as well. */
export function Search({ network, what }: SearchProps) {
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
          onChange={(chosen) => navigate(onOther(chosen, what))}
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

function onOther(network: Network, what: string | undefined): string {
  const isAddress = what !== undefined && recognise(what)?.kind === 'address';
  return isAddress ? explorerPath(network, what) : `/explorer/${slugOf(network)}`;
}
