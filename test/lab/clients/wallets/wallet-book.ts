import type { Random } from '../../random.ts';

/** A managed wallet whose creation was answered. */
export type ToldWallet = { readonly id: string; readonly address: string };

/** An account with money, its access token, and its second factor. */
export type Customer = {
  readonly account: string;
  readonly token: string;
  /** Base-32; a code of it destroys. */
  readonly secret: string;
  readonly creditUsd: number;
};

/** A master, and each child whose derivation was answered, by its path. */
export type Tree = { readonly master: ToldWallet; readonly children: Map<string, ToldWallet> };

/** The answers that one account was given, and what it asked for. */
export type WalletBook = Customer & {
  readonly living: Map<string, ToldWallet>;
  readonly destroyed: Map<string, ToldWallet>;
  /** Their destruction was asked for and not answered: it is asked for again. */
  readonly unsure: Map<string, ToldWallet>;
  /** By the id of the master, which is among the living too. */
  readonly trees: Map<string, Tree>;
  /** Answered creations and signatures, each under a key of its own; children count once, however often they were derived. */
  created: number;
  derived: number;
  signed: number;
  /** Asked for until the end, and never answered. */
  readonly unanswered: string[];
  /** Units, by operation, of requests that were broken off and are not asked for again: nobody knows whether they were charged. */
  readonly interrupted: Map<string, number>;
};

/** A book without entries. */
export function newWalletBook({ account, token, secret, creditUsd }: Customer): WalletBook {
  return {
    account,
    token,
    secret,
    creditUsd,
    living: new Map(),
    destroyed: new Map(),
    unsure: new Map(),
    trees: new Map(),
    created: 0,
    derived: 0,
    signed: 0,
    unanswered: [],
    interrupted: new Map(),
  };
}

/** Draws a wallet. Undefined where there is none. */
export function drawWallet(
  { random }: { readonly random: Random },
  wallets: ReadonlyMap<string, ToldWallet>,
): ToldWallet | undefined {
  return [...wallets.values()][random(Math.max(1, wallets.size))];
}
