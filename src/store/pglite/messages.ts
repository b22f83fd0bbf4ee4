/** What the main thread tells the store's thread. `session` counts the driver's connections, from 1. */
export type ToWorker =
  | { readonly kind: 'connect'; readonly session: number }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  | { readonly kind: 'close' };

/** What the store's thread answers. `bytes` are PostgreSQL wire protocol, as they are. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  /** PostgreSQL has given up, and the thread does nothing any more. */
  | { readonly kind: 'panic'; readonly reason: string };
