const script = import.meta.url;

/** Address of the server as the browser reached it, without a trailing slash; the assets lie two folders below it. */
export const SERVER_ADDRESS = new URL('../..', script).href.replace(/\/$/, '');

/** Path that every page of the dashboard is below. */
export const DASHBOARD_PATH = new URL('..', script).pathname.replace(/\/$/, '');

/** A service that the reference has a document of. */
export type ReferenceService = 'account' | 'wallets' | 'ledger';

/** Returns the address of an operation in the reference, such as `API keys`, `listKeys`. */
export function referenceOf(tag: string, operation: string, service: ReferenceService = 'account'): string {
  const document = service === 'ledger' ? '' : `?${service}`;
  return `${SERVER_ADDRESS}/docs${document}#/${encodeURIComponent(tag)}/${operation}`;
}
