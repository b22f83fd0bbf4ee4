import { Link } from 'wouter';
import { KeyText } from './key-text.tsx';
import { explorerPath, type Network } from './networks.ts';
import { wellKnownName } from './well-known.ts';

type AccountLinkProps = {
  readonly network: Network;
  readonly address: string;
  /** What it is: "owner". */
  readonly noun: string;
  readonly hasCopy?: boolean;
};

/** Leads to the page of an address, by its name where it is one that every network has. */
export function AccountLink({ network, address, noun, hasCopy = true }: AccountLinkProps) {
  const href = explorerPath(network, address);
  const name = wellKnownName(address);
  if (name === undefined) return <KeyText text={address} noun={noun} href={href} hasCopy={hasCopy} />;
  return (
    <Link href={href} title={address}>
      {name}
    </Link>
  );
}
