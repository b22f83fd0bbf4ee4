/** A managed wallet of an account. */
export type OwnWallet = { readonly walletId: string; readonly address: string };

/** The server's data that topics of one account may see. */
export type AccountView = {
  readonly accountId: string;
  /** Returns those of the addresses that are managed wallets of the account, in any order. Throws the store's errors. */
  readonly walletsAmong: (addresses: readonly string[]) => Promise<readonly OwnWallet[]>;
};
