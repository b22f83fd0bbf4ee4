import {
  AccountState,
  createAssociatedTokenAccountInstruction,
  createEnableCpiGuardInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createInitializeDefaultAccountStateInstruction,
  createInitializeGroupMemberPointerInstruction,
  createInitializeGroupPointerInstruction,
  createInitializeGroupInstruction,
  createInitializeInstruction,
  createInitializeInterestBearingMintInstruction,
  createInitializeMemberInstruction,
  createInitializeMetadataPointerInstruction,
  createInitializeMintCloseAuthorityInstruction,
  createInitializeMint2Instruction,
  createInitializePausableConfigInstruction,
  createInitializePermanentDelegateInstruction,
  createInitializeScaledUiAmountConfigInstruction,
  createInitializeTransferFeeConfigInstruction,
  createInitializeTransferHookInstruction,
  createReallocateInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  TOKEN_2022_PROGRAM_ID as TOKEN_2022,
} from '@solana/spl-token';
import { Keypair } from '@solana/web3.js';
import { newAccount } from './new-account.ts';
import { land, type WalletSession } from './wallet-session.ts';

const EXTENSIONS = [
  ExtensionType.MintCloseAuthority,
  ExtensionType.PermanentDelegate,
  ExtensionType.TransferFeeConfig,
  ExtensionType.InterestBearingConfig,
  ExtensionType.DefaultAccountState,
  ExtensionType.MetadataPointer,
  ExtensionType.GroupPointer,
  ExtensionType.GroupMemberPointer,
  ExtensionType.TransferHook,
  ExtensionType.PausableConfig,
];

/** Token-2022 mints with many extensions, and an account of one with the extensions that accounts can have. */
export async function makeExtensions(session: WalletSession) {
  const owner = session.wallet.publicKey;
  const mint = await newAccount(session, getMintLen(EXTENSIONS), TOKEN_2022, 10_000_000);
  const hook = Keypair.generate().publicKey;
  const extensionSignature = await land(
    session,
    [
      mint.create,
      createInitializeMintCloseAuthorityInstruction(mint.key, owner, TOKEN_2022),
      createInitializePermanentDelegateInstruction(mint.key, owner, TOKEN_2022),
      createInitializeTransferFeeConfigInstruction(mint.key, owner, owner, 50, 1000n, TOKEN_2022),
      createInitializeInterestBearingMintInstruction(mint.key, owner, 100, TOKEN_2022),
      createInitializeDefaultAccountStateInstruction(mint.key, AccountState.Initialized, TOKEN_2022),
      createInitializeMetadataPointerInstruction(mint.key, owner, mint.key, TOKEN_2022),
      createInitializeGroupPointerInstruction(mint.key, owner, mint.key, TOKEN_2022),
      createInitializeGroupMemberPointerInstruction(mint.key, owner, mint.key, TOKEN_2022),
      createInitializeTransferHookInstruction(mint.key, owner, hook, TOKEN_2022),
      createInitializePausableConfigInstruction(mint.key, owner, TOKEN_2022),
      createInitializeMint2Instruction(mint.key, 6, owner, owner, TOKEN_2022),
    ],
    [mint.keypair],
  );
  const scaled = await newAccount(
    session,
    getMintLen([ExtensionType.ScaledUiAmountConfig, ExtensionType.GroupMemberPointer]),
    TOKEN_2022,
    10_000_000,
  );
  const account = getAssociatedTokenAddressSync(mint.key, owner, false, TOKEN_2022);
  await land(
    session,
    [
      scaled.create,
      createInitializeScaledUiAmountConfigInstruction(scaled.key, owner, 2, TOKEN_2022),
      createInitializeGroupMemberPointerInstruction(scaled.key, owner, scaled.key, TOKEN_2022),
      createInitializeMint2Instruction(scaled.key, 6, owner, owner, TOKEN_2022),
      createAssociatedTokenAccountInstruction(owner, account, owner, mint.key, TOKEN_2022),
      createReallocateInstruction(
        account,
        owner,
        [ExtensionType.MemoTransfer, ExtensionType.CpiGuard],
        owner,
        [],
        TOKEN_2022,
      ),
      createEnableRequiredMemoTransfersInstruction(account, owner, [], TOKEN_2022),
      createEnableCpiGuardInstruction(account, owner, [], TOKEN_2022),
    ],
    [scaled.keypair],
  );
  const metadata = { name: 'Keyslot', symbol: 'KEY', uri: 'https://example.org/key.json' };
  const metadataSignature = await land(session, [
    createInitializeInstruction({
      programId: TOKEN_2022,
      metadata: mint.key,
      updateAuthority: owner,
      mint: mint.key,
      mintAuthority: owner,
      ...metadata,
    }),
    createInitializeGroupInstruction({
      programId: TOKEN_2022,
      group: mint.key,
      mint: mint.key,
      mintAuthority: owner,
      updateAuthority: owner,
      maxSize: 10n,
    }),
    createInitializeMemberInstruction({
      programId: TOKEN_2022,
      member: scaled.key,
      memberMint: scaled.key,
      memberMintAuthority: owner,
      group: mint.key,
      groupUpdateAuthority: owner,
    }),
  ]);
  return {
    extensionSignature,
    metadataSignature,
    extensionMint: mint.key.toBase58(),
    extensionAccount: account.toBase58(),
    scaledMint: scaled.key.toBase58(),
  };
}
