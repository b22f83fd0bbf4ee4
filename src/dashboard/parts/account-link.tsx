import { Link } from 'wouter';
import { KeyText } from './key-text.tsx';
import { explorerPath, type Network } from './networks.ts';

type AccountLinkProps = {
  readonly network: Network;
  readonly address: string;
  /** Its kind, such as "owner". */
  readonly noun: string;
  readonly hasCopy?: boolean;
};

/** A link to the page of an address, with its name if it is a well-known one. */
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

/** Programs and sysvars that every network has, by address. */
const NAMES: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'System program',
  Vote111111111111111111111111111111111111111: 'Vote program',
  Stake11111111111111111111111111111111111111: 'Stake program',
  ComputeBudget111111111111111111111111111111: 'Compute budget',
  AddressLookupTab1e1111111111111111111111111: 'Address lookup tables',
  BPFLoader2111111111111111111111111111111111: 'BPF loader 2',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Upgradeable loader',
  NativeLoader1111111111111111111111111111111: 'Native loader',
  Sysvar1111111111111111111111111111111111111: 'Sysvars',
  SysvarC1ock11111111111111111111111111111111: 'Clock',
  SysvarRent111111111111111111111111111111111: 'Rent',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'Token-2022',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated tokens',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'Memo program',
};

/** Returns the name of a well-known address; undefined for all others. */
function wellKnownName(address: string): string | undefined {
  return Object.hasOwn(NAMES, address) ? NAMES[address] : undefined;
}
