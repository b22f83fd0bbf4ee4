import { optionProblem } from './option-problem.ts';

/** The names that the Solana command line gives to clusters, and their first letters. */
const CLUSTERS: Readonly<Record<string, string>> = {
  'mainnet-beta': 'https://api.mainnet-beta.solana.com',
  devnet: 'https://api.devnet.solana.com',
  testnet: 'https://api.testnet.solana.com',
  localhost: 'http://127.0.0.1:8899',
};

/**
 * Reads `--url URL_OR_MONIKER`, or another option with such a value.
 *
 * @throws ServiceError invalidConfig; it never shows an address, which may contain a key.
 */
export function readClusterUrl(option: string, text: string): URL {
  const known = Object.keys(CLUSTERS).find((name) => name === text || name[0] === text);
  const address = known === undefined ? text : (CLUSTERS[known] ?? '');
  if (!URL.canParse(address))
    throw optionProblem(`${option}: expected an address or one of ${Object.keys(CLUSTERS).join(', ')}`);
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw optionProblem(`${option}: expected http or https, got ${url.protocol}`);
  return url;
}
