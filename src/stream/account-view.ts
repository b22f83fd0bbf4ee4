/** A managed wallet of an account. */
export type OwnWallet = { readonly walletId: string; readonly address: string };

/** What a topic of one account may see of the server. */
export type AccountView = {
  readonly accountId: string;
  /** Which of these addresses are managed wallets of the account, in any order. Throws what the store throws. */
  readonly walletsAmong: (addresses: readonly string[]) => Promise<readonly OwnWallet[]>;
};
