/** The part of the page that the server wrote for this installation and this request. */
type Served = {
  readonly networks: readonly { readonly rpcPath: string; readonly label: string }[];
  /** Address of the topic streams, if the server knows it. */
  readonly grpcUrl?: string;
  /** True if the browser has sent the cookie of a dashboard session, which may have ended. */
  readonly isSignedIn: boolean;
};

const script = import.meta.url;

/** Address of the server as the browser sees it, without a trailing slash; the assets are two folders below it. */
export const SERVER_ADDRESS = new URL('../..', script).href.replace(/\/$/, '');

/** Address of the first page of the reference. */
export const DOCS_ADDRESS = `${SERVER_ADDRESS}/docs`;

export const SERVED = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="keyslot-served"]')?.content || '{}',
) as Served;
