import type { Idl } from '@coral-xyz/anchor';

const account = (name: string) => ({ name, writable: true }) as const;
const signer = (name: string) => ({ name, signer: true }) as const;
const amount = { name: 'amount', type: 'u64' } as const;

/** Some of the Token program, which has instructions of one byte and accounts without a discriminator, in the form of Anchor 0.30 and later. */
export const TOKEN_IDL = {
  address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  metadata: { name: 'token', version: '1.0.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'initializeMint2',
      discriminator: [20],
      accounts: [account('mint')],
      args: [
        { name: 'decimals', type: 'u8' },
        { name: 'mintAuthority', type: 'pubkey' },
        { name: 'freezeAuthority', type: { option: 'pubkey' } },
      ],
    },
    {
      name: 'initializeAccount3',
      discriminator: [18],
      accounts: [account('account'), { name: 'mint' }],
      args: [{ name: 'owner', type: 'pubkey' }],
    },
    {
      name: 'mintTo',
      discriminator: [7],
      accounts: [account('mint'), account('account'), signer('mintAuthority')],
      args: [amount],
    },
    {
      name: 'burn',
      discriminator: [8],
      accounts: [account('account'), account('mint'), signer('owner')],
      args: [amount],
    },
  ],
  accounts: [{ name: 'mint', discriminator: [] }],
  types: [
    {
      name: 'mint',
      type: {
        kind: 'struct',
        fields: [
          { name: 'hasMintAuthority', type: 'u32' },
          { name: 'mintAuthority', type: 'pubkey' },
          { name: 'supply', type: 'u64' },
          { name: 'decimals', type: 'u8' },
          { name: 'isInitialized', type: 'bool' },
          { name: 'hasFreezeAuthority', type: 'u32' },
          { name: 'freezeAuthority', type: 'pubkey' },
        ],
      },
    },
  ],
} as const satisfies Idl;
