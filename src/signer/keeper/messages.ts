/** Requests of the gateway to the keeper. `id` names one signer, from 1. */
export type ToKeeper =
  | { readonly kind: 'launch'; readonly id: number }
  | { readonly kind: 'kill'; readonly id: number };

/** Messages of the keeper. `launched` comes with the signer's socket. */
export type FromKeeper =
  | { readonly kind: 'ready' }
  | { readonly kind: 'launched'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | {
      readonly kind: 'exited';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
