import type { SolanaRpcApi } from '@solana/kit';
import { METHODS, type MethodName } from '../../generated/ledger/methods.ts';

/** Methods of the spec that public clients know. They do not know our own methods. */
export type ClientMethod = Extract<MethodName, keyof SolanaRpcApi>;

/** Names of the methods that interface.md gives. */
export const GIVEN_METHODS: readonly string[] = Object.values(METHODS)
  .filter(({ origin }) => origin === 'given')
  .map(({ name }) => name);
