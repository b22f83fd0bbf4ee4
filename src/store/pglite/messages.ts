/** Messages of the main thread to the store's thread. `session` counts the driver's connections, from 1. */
export type ToWorker =
  | { readonly kind: 'connect'; readonly session: number }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  | { readonly kind: 'close' };

/** Messages of the store's thread. `bytes` are unchanged PostgreSQL wire protocol. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  /** PostgreSQL has panicked, and the thread does nothing more. */
  | { readonly kind: 'panic'; readonly reason: string };
